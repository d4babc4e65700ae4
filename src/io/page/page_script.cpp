#include "io/page/page_assets.hpp"

namespace lockstep::io {

// The picture that axis.cpp, chart.cpp, svg_plot.cpp and svg_bars.cpp draw for paper, drawn again
// at the width at hand. Two string literals, since a compiler need not take one of more than 65,536
// characters and a reader wants the drawing apart from the hands.
const std::string_view page_script = R"js(
"use strict";
(() => {

// Numbers -----------------------------------------------------------------------------------------
const escape = text => String(text).replace(/[&<>"']/g, c => `&#${c.charCodeAt(0)};`);
const drawable = value => typeof value === "number" && Math.abs(value) <= 1e300;
const suffixes = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];
const suffix = (size, least) =>
  (size >= least && size < 1e15 && suffixes.find(([factor]) => size >= factor)) || [1, ""];
const minus = text => text.replace(/^-/, "\u2212");
const decade = value => Number(value.toExponential(14).split("e")[1]);
const power = exponent => Number("1e" + exponent);
const scientific = value => {
  const [mantissa, exponent] = value.toExponential(4).split("e");
  return Number(mantissa) + "e" + Number(exponent);
};
const grouped = text => text.replace(/^(-?)(\d+)/, (_, sign, whole) => sign + whole.replace(/\B(?=(\d{3})+$)/g, ","));
// What the axis counts in: between brackets, or all that it says.
const unitOf = label => (/\[(.*)\]/.exec(label) || [, label])[1];
const withUnit = (value, label) => value === "–" ? value : `${value} ${unitOf(label || "")}`.trim();
const valueText = value => {
  if (!drawable(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e15)) return minus(scientific(value));
  return minus(grouped(size >= 1e4 ? value.toFixed(0) : String(Number(value.toPrecision(5)))));
};
const tickTexts = (ticks, step, largest = 0) => {
  const size = Math.max(0, ...ticks.map(Math.abs)), [factor, letter] = suffix(Math.max(size, largest), 1e7);
  let decimals = 0;
  for (let s = step / factor; decimals < 9 && Math.abs(s - Math.round(s)) >= 1e-6 * s; s *= 10) ++decimals;
  const plain = size < 1e15 && (size >= 1e-3 || size === 0);
  return ticks.map(tick => minus(tick === 0 ? "0" : plain ? grouped((tick / factor).toFixed(decimals)) + letter
                                                          : scientific(tick)));
};

// Numbers of a picture among many: "first|decade|digits", three digits of 64 a number above the first,
// the largest for none; "first|decade|*n": n times the same.
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const unpacked = values => {
  if (typeof values !== "string") return values;
  const [first, decade, digits] = values.split("|");
  const number = k => Number(`${Number(first) + k}e${decade}`);
  if (digits[0] === "*") return Array(Number(digits.slice(1))).fill(number(0));
  return (digits.match(/.../g) || []).map(three => {
    const k = [...three].reduce((sum, c) => 64 * sum + alphabet.indexOf(c), 0);
    return k === 262143 ? null : number(k);
  });
};

// Axes --------------------------------------------------------------------------------------------
const rangeOf = values => {
  let low = Infinity, high = -Infinity;
  for (const v of values) if (drawable(v)) { low = Math.min(low, v); high = Math.max(high, v); }
  return low <= high ? [low, high] : null;
};
const withExtent = range => {
  const [low, high] = range, size = Math.max(Math.abs(low), Math.abs(high));
  if (high - low > 1e-10 * size && size > 1e-290) return range;
  const margin = size > 1e-290 ? 0.1 * size : 1;
  return [low - margin, high + margin];
};
const roundStep = value => {
  const d = power(decade(value));
  return (([1, 2, 5].find(f => value <= f * d * (1 + 1e-9))) || 10) * d;
};
const multiples = (first, last, step) => {
  const ticks = [];
  for (let k = first; k <= last; ++k) ticks.push(k === 0 ? 0 : k * step);
  return ticks;
};
const axis = (low, high, ticks, labels, log) => ({
  low, high, ticks, labels,
  at: value => {
    if (!drawable(value) || (log && value <= 0)) return NaN;
    return log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
  }
});
const valueAxis = (range, fromZero, most) => {
  if (!range) return axis(0, 1, [], [], false);
  if (fromZero) {
    range = [Math.min(0, range[0]), Math.max(0, range[1])];
    if (range[0] === range[1]) range[1] = 1;
  }
  range = withExtent(range);
  const step = roundStep((range[1] - range[0]) / most);
  const ticks = multiples(Math.floor(range[0] / step + 1e-9), Math.ceil(range[1] / step - 1e-9), step);
  return axis(ticks[0], ticks[ticks.length - 1], ticks, tickTexts(ticks, step), false);
};
const logAxis = (range, most) => {
  if (!range) return axis(1, 10, [], [], true);
  const low = Math.max(range[0], 1e-290), high = Math.max(range[1], low * 1.01);
  let all = [];
  for (let d = decade(low) - 1; d <= decade(high) + 1; ++d) {
    for (const factor of [1, 2, 5]) {
      const tick = factor * power(d);
      if (tick <= low) all = [tick];
      else if (all[all.length - 1] < high) all.push(tick);
    }
  }
  const crowded = all.length > most;
  const decades = all.filter(tick => !crowded || tick <= power(decade(tick)) * 1.5);
  const stride = 1 + Math.floor(decades.length / (most + 1));
  const ticks = decades.filter((_, i) => i % stride === 0);
  return axis(all[0], all[all.length - 1], ticks, ticks.map(t => tickTexts([t], t, ticks[ticks.length - 1])[0]), true);
};
const positionAxis = (range, whole, most) => {
  if (!range) return axis(0, 1, [], [], false);
  if (range[0] === range[1]) range = [range[0] - 0.5, range[1] + 0.5];
  range = withExtent(range);
  let step = roundStep((range[1] - range[0]) / most);
  if (whole) step = Math.max(step, 1);
  const ticks = multiples(Math.ceil(range[0] / step - 1e-9), Math.floor(range[1] / step + 1e-9), step);
  return axis(range[0], range[1], ticks, tickTexts(ticks, step), false);
};

// Pictures ----------------------------------------------------------------------------------------
const area = 220, margin = 16;
const textWidth = text => 7.3 * [...text].length;
const widest = texts => texts.reduce((width, text) => Math.max(width, textWidth(text)), 0);
const px = value => value.toFixed(1);
const text = (x, y, anchor, words) =>
  `<text x="${px(x)}" y="${px(y)}" text-anchor="${anchor}">${escape(words)}</text>`;
const rule = (d, strong) => `<path d="${d}" stroke="currentColor" stroke-opacity="${strong ? ".6" : ".16"}"/>`;

// What a reader who does not see the picture wants to know of it.
const describe = plot => (plot.parts || [...plot.lines, ...plot.bands]).map(s => {
  const range = rangeOf(s.value || s.y || [...s.low, ...s.high]);
  return `${s.name || plot.y_label}: ` +
    (range ? `${valueText(range[0])} to ${withUnit(valueText(range[1]), plot.y_label)}` : "no data");
}).join("; ");

// The frame: labels, grid, both axes. What is drawn goes between `open` and `close`.
const frame = (plot, width, y, xTicks, names = []) => {
  let top = 8, svg = "";
  if (plot.y_label) {
    svg += text(0, top + 4, "start", plot.y_label);
    top += 20;
  }
  const slot = (width - 64) / Math.max(names.length, 1);
  const slanted = names.length > 0 && widest(names) + 8 > slot && slot >= 15 && !/^[0-9]/.test(names[0]);
  const first = slanted ? 0.77 * textWidth(slantedText(names[0])) - slot / 2 : 0;
  const left = Math.max(22, widest(y.labels) + 8, first), right = width - margin, bottom = top + area;
  const x = f => left + f * (right - left), place = f => bottom - f * area;
  y.ticks.forEach((tick, i) => {
    const at = place(y.at(tick));
    svg += rule(`M${px(left)} ${px(at)}H${px(right)}`, tick === 0 && y.low < 0);
    svg += text(left - 8, at + 4, "end", y.labels[i]);
  });
  svg += rule(`M${px(left)} ${px(bottom)}H${px(right)}`, true);
  if (!y.ticks.length) svg += text(x(0.5), top + area / 2, "middle", "no data");
  const ticks = slanted ? names.map((name, i) => [(i + 0.5) / names.length, slantedText(name)]) : xTicks(right - left);
  for (const [f, label] of ticks) {
    if (slanted) {
      svg += `<text transform="translate(${px(x(f) + 4)} ${px(bottom + 14)}) rotate(-40)" text-anchor="end">${escape(label)}</text>`;
      continue;
    }
    const half = textWidth(label) / 2;
    svg += rule(`M${px(x(f))} ${px(bottom)}v4`, true);
    svg += text(Math.min(Math.max(x(f), half), Math.max(half, width - half)), bottom + 17, "middle", label);
  }
  let height = bottom + (slanted ? 20 + Math.ceil(0.64 * widest(ticks.map(t => t[1]))) : ticks.length ? 24 : 8);
  if (plot.x_label) {
    svg += text(x(0.5), height + 11, "middle", plot.x_label);
    height += 18;
  }
  const name = escape(plot.title || plot.y_label);
  const open = `<svg class="chart" viewBox="0 0 ${width} ${height}" width="100%" role="img" aria-label="${name}" ` +
    `fill="none" font-size="12"><desc>${escape(describe(plot))}</desc><g fill="currentColor">${svg}`;
  return {open, close: `<g class="cursor"></g></g></svg>`, x, y: f => place(f), top, bottom, left, right, width, height};
};

const slantedText = label => [...label].length > 20 ? [...label].slice(0, 20).join("") + "…" : label;

const everyNth = (labels, place, span, room) => {
  const stride = Math.max(1, Math.ceil((widest(labels) + room) / span));
  return labels.map((label, i) => [place(i), label]).filter(([f], i) => i % stride === 0 && f >= 0 && f <= 1);
};

const runs = points => {
  const found = [];
  let run = [];
  for (const point of points) {
    if (point.every(Number.isFinite)) run.push(point);
    else if (run.length) { found.push(run); run = []; }
  }
  if (run.length) found.push(run);
  return found;
};
const markerPath = (kind, x, y) => {
  const m = (dx, dy) => `M${px(x + dx)} ${px(y + dy)}`;
  return [m(-3, 0) + "a3 3 0 1 0 6 0a3 3 0 1 0 -6 0Z", m(-2.7, -2.7) + "h5.4v5.4h-5.4Z", m(0, -3.4) + "l3.4 6h-6.8Z",
          m(0, -3.8) + "l3.8 3.8l-3.8 3.8l-3.8 -3.8Z", m(0, 3.4) + "l3.4 -6h-6.8Z",
          m(-3.4, -1.2) + "h2.2v-2.2h2.4v2.2h2.2v2.4h-2.2v2.2h-2.4v-2.2h-2.2Z"][kind];
};
const through = points => points.map(([x, y], i) => `${i ? "L" : "M"}${px(x)} ${px(y)}`).join("");
const xsOf = (series, values) => Array.isArray(series.x) ? series.x : values.map((_, i) => series.x + i);

const drawPlot = (plot, width) => {
  const lines = plot.lines.map(s => ({...s, xs: xsOf(s, s.y)}));
  const bands = plot.bands.map(s => ({...s, xs: xsOf(s, s.low)}));
  const good = values => plot.log_y ? values.filter(v => v > 0) : values;
  const ends = s => (s.error || []).flatMap((e, i) => drawable(e) ? [s.y[i] - e, s.y[i] + e] : []);
  const yRange = rangeOf([...lines.flatMap(s => good([...s.y, ...ends(s)])), ...bands.flatMap(s => good(s.low).concat(good(s.high)))]);
  const y = plot.log_y ? logAxis(yRange, 5) : valueAxis(yRange, plot.from_zero, 5);
  const allX = [...lines, ...bands].flatMap(s => s.xs), names = plot.x_ticks;
  const most = Math.max(3, Math.min(8, Math.floor(width / 80)));
  const x = plot.log_x ? logAxis(rangeOf(allX.filter(v => v > 0)), most)
    : positionAxis(rangeOf(allX) || (names.length ? [0, names.length - 1] : null), allX.every(Number.isInteger), most);
  const f = frame(plot, width, y, length => names.length
    ? everyNth(names, i => x.at(i), length / Math.max(x.high - x.low, 1), 10)
    : x.ticks.map((tick, i) => [x.at(tick), x.labels[i]]));
  const at = (vx, vy) => [f.x(x.at(vx)), f.y(y.at(vy))];
  let svg = f.open;
  for (const band of bands) {
    const points = band.xs.map((vx, i) => [...at(vx, band.high[i]), f.y(y.at(band.low[i]))]);
    const d = runs(points).map(run => through([...run.map(p => [p[0], p[1]]),
                                               ...run.map(p => [p[0], p[2]]).reverse()]) + "Z").join("");
    svg += `<g class="c${band.color}"><path d="${d}" fill="currentColor" fill-opacity="${band.opacity}" ` +
      `stroke="currentColor" stroke-opacity=".7" stroke-width=".75"/></g>`;
  }
  lines.forEach((line, i) => {
    const places = line.xs.map((vx, k) => at(vx, line.y[k])), found = line.error ? [] : runs(places);
    if (line.error) {
      const real = places.flatMap((p, k) => p.every(Number.isFinite) ? [k] : []);
      const bar = k => [at(line.xs[k], line.y[k] - line.error[k]), at(line.xs[k], line.y[k] + line.error[k])];
      const bars = real.filter(k => drawable(line.error[k])).map(bar).filter(ends => ends.flat().every(Number.isFinite))
        .map(([a, b]) => `M${px(a[0])} ${px(a[1])}V${px(b[1])}`).join("");
      svg += `<g class="c${line.color}"><path d="${bars}" fill="none" stroke="currentColor" stroke-width="1.5"/>` +
        real.map(k => `<circle cx="${px(places[k][0])}" cy="${px(places[k][1])}" r="3" fill="currentColor"/>`).join("") + "</g>";
      return;
    }
    const d = found.filter(run => run.length > 1).map(through).join("");
    const dots = found.filter(run => run.length === 1).map(([[cx, cy]]) =>
      `<circle cx="${px(cx)}" cy="${px(cy)}" r="2.5" fill="currentColor"/>`).join("");
    const stride = Math.max(1, Math.ceil(places.length / 8)), first = Math.floor(i * stride / lines.length);
    const marks = line.marker < 0 ? "" : places.filter((p, k) => k >= first && (k - first) % stride === 0 && p.every(Number.isFinite))
      .map(([mx, my]) => markerPath(line.marker, mx, my)).join("");
    svg += `<g class="c${line.color}"><path d="${d}" fill="none" stroke="currentColor" stroke-width="${line.width}" ` +
      `stroke-linejoin="round" stroke-linecap="${line.dash ? "butt" : "round"}"${line.dash ? ` stroke-dasharray="${line.dash}"` : ""}/>${dots}` +
      (marks ? `<path d="${marks}" fill="currentColor"/>` : "") + "</g>";
  });
  const stops = [...new Set(allX.filter(v => drawable(v) && !(plot.log_x && v <= 0)))].sort((a, b) => a - b);
  const index = new Map([...lines, ...bands].map(s => [s, new Map(s.xs.map((vx, i) => [vx, i]))]));
  const rowsAt = stop => [...lines, ...bands].flatMap(s => {
    const i = index.get(s).get(stop);
    if (i === undefined) return [];
    const error = s.error && drawable(s.error[i]) ? ` ± ${valueText(s.error[i])}` : "";
    const value = withUnit(s.y ? valueText(s.y[i]) + error : `${valueText(s.low[i])} to ${valueText(s.high[i])}`, plot.y_label);
    return [{...s, value}];
  });
  return {
    svg: svg + f.close, width, height: f.height, places: stops.map(stop => f.x(x.at(stop))),
    stops, head: i => names[stops[i]] ?? [plot.x_label, valueText(stops[i])].filter(Boolean).join(" "),
    rows: i => rowsAt(stops[i]),
    cursor: i => rule(`M${px(f.x(x.at(stops[i])))} ${f.top}V${f.bottom}`, true) + lines.map(line => {
      const k = index.get(line).get(stops[i]), [cx, cy] = k === undefined ? [NaN] : at(stops[i], line.y[k]);
      return Number.isFinite(cx) && Number.isFinite(cy)
        ? `<circle class="c${line.color}" cx="${px(cx)}" cy="${px(cy)}" r="3.5" fill="currentColor" stroke="var(--paper)" stroke-width="1.5"/>`
        : "";
    }).join("")
  };
};

const drawBars = (bars, width) => {
  const count = bars.labels.length;
  const heights = bars.parts.map(part => bars.labels.map((_, i) => drawable(part.value[i]) ? Math.max(part.value[i], 0) : 0));
  const totals = bars.labels.map((_, i) => heights.reduce((sum, part) => sum + part[i], 0));
  const y = valueAxis(rangeOf(totals), true, 5), middle = i => (i + 0.5) / count;
  const f = frame(bars, width, y, length => everyNth(bars.labels, middle, length / Math.max(count, 1), 8), bars.labels);
  const slot = (f.right - f.left) / Math.max(count, 1), wide = Math.max(Math.min(0.76 * slot, 64), 0.5);
  let svg = f.open;
  bars.labels.forEach((_, i) => {
    let below = 0;
    bars.parts.forEach((part, p) => {
      const top = f.y(y.at(below + heights[p][i]));
      if (heights[p][i] > 0) {
        svg += `<g class="c${part.color}"><rect x="${px(f.x(middle(i)) - wide / 2)}" y="${px(top)}" width="${px(wide)}" ` +
          `height="${px(f.y(y.at(below)) - top)}" fill="currentColor" fill-opacity="${part.opacity}" ` +
          `stroke="currentColor" stroke-width=".75"/></g>`;
      }
      below += heights[p][i];
    });
  });
  return {
    svg: svg + f.close, width, height: f.height, places: bars.labels.map((_, i) => f.x(middle(i))),
    stops: bars.labels.map((_, i) => i), head: i => bars.labels[i],
    rows: i => [...bars.parts.map(part => ({...part, value: withUnit(valueText(part.value[i]), bars.y_label)})).reverse(),
                ...(bars.parts.length > 1 ? [{name: "total", value: withUnit(valueText(totals[i]), bars.y_label)}] : [])],
    cursor: i => `<rect x="${px(f.x(middle(i)) - slot / 2)}" y="${f.top}" width="${px(slot)}" height="${area}" ` +
      `fill="currentColor" fill-opacity=".09"/>`
  };
};
)js"
                                     R"js(
// Hands -------------------------------------------------------------------------------------------
const swatch = s => {
  if (s.color === undefined) return "";
  const inside = s.y
    ? `<path d="M0 5h24" stroke="currentColor" stroke-width="${s.width}"${s.dash ? ` stroke-dasharray="${s.dash}"` : ""}/>` +
      (s.marker < 0 ? "" : `<path d="${markerPath(s.marker, 12, 5)}" fill="currentColor"/>`)
    : `<rect x=".5" y=".5" width="23" height="9" fill="currentColor" fill-opacity="${s.opacity}" stroke="currentColor" stroke-opacity=".7" stroke-width=".75"/>`;
  return `<svg class="key c${s.color}" width="24" height="10" viewBox="0 0 24 10" aria-hidden="true">${inside}</svg>`;
};
const seriesOf = data => data.parts || [...data.lines, ...data.bands];
const without = (data, hidden) => {
  const kept = list => list && list.filter(s => !hidden.has(s.name));
  return {...data, parts: kept(data.parts), lines: kept(data.lines), bands: kept(data.bands)};
};
// What lies between two places: numbers of a plot, bars by their place.
const within = (data, [from, to]) => {
  if (data.parts) {
    const cut = values => values.slice(from, to + 1);
    return {...data, labels: cut(data.labels), parts: data.parts.map(p => ({...p, value: cut(p.value)}))};
  }
  const cut = (s, ...members) => {
    const xs = xsOf(s, s[members[0]]), kept = xs.flatMap((x, i) => x >= from && x <= to ? [i] : []);
    return {...s, x: kept.map(i => xs[i]), ...Object.fromEntries(members.map(m => [m, kept.map(i => s[m][i])]))};
  };
  return {...data, lines: data.lines.map(s => cut(s, "y", ...(s.error ? ["error"] : []))), bands: data.bands.map(s => cut(s, "low", "high"))};
};

// Files -------------------------------------------------------------------------------------------
const save = (name, type, content) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], {type}));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};
const fileName = title => title.normalize("NFD").replace(/[\u0300-\u036f]/g, "").replace(/[^A-Za-z0-9]+/g, "-").replace(/^-|-$/g, "").toLowerCase() || "figure";
const csvField = text => /[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
const csv = data => {
  const unit = unitOf(data.y_label), named = (s, more) => (s.name || data.y_label) + more + (unit ? ` [${unit}]` : "");
  const columns = data.parts ? data.parts.map(p => [named(p, ""), p.value]) : [
    ...data.lines.flatMap(s => [[named(s, ""), s.y, xsOf(s, s.y)], ...(s.error ? [[named(s, ", error"), s.error, xsOf(s, s.y)]] : [])]),
    ...data.bands.flatMap(s => [[named(s, ", low"), s.low, xsOf(s, s.low)], [named(s, ", high"), s.high, xsOf(s, s.high)]])
  ];
  const stops = data.parts ? data.labels.map((_, i) => i)
    : [...new Set(columns.flatMap(c => c[2]))].filter(drawable).sort((a, b) => a - b);
  const index = columns.map(c => c[2] && new Map(c[2].map((x, i) => [x, i])));
  const head = stop => data.parts ? data.labels[stop] : data.x_ticks[stop] ?? String(stop);
  const cell = value => drawable(value) ? String(value) : "";
  return [[data.x_label || "x", ...columns.map(c => c[0])],
          ...stops.map(stop => [head(stop), ...columns.map((c, k) => cell(c[1][index[k] ? index[k].get(stop) : stop]))])]
    .map(row => row.map(csvField).join(",") + "\n").join("");
};
// The picture as it stands, with its title, its legend and its colours, for other programs.
const svgFile = (data, picture) => {
  const style = getComputedStyle(document.documentElement), color = name => style.getPropertyValue(name).trim();
  let x = 0, y = 34, legend = "";
  for (const s of seriesOf(data).filter(s => s.name)) {
    const width = 30 + textWidth(s.name);
    if (x > 0 && x + width > picture.width) { x = 0; y += 18; }
    legend += `<g transform="translate(${px(x)} ${y})">${swatch(s)}${text(30, 9, "start", s.name)}</g>`;
    x += width + 16;
  }
  const top = legend ? y + 20 : 28, rules = [...Array(8).keys()].map(i => `.c${i}{color:${color("--c" + i)}}`).join("");
  const inside = picture.svg.replace(/^<svg[^>]*>/, "").replace(/<\/svg>$/, "");
  const holder = document.createElement("div");
  holder.innerHTML = `<svg viewBox="-12 ${-top} ${picture.width + 24} ${picture.height + top + 8}" width="${picture.width + 24}" ` +
    `color="${color("--muted")}" fill="none" font-family="sans-serif" font-size="12"><style>${rules}</style>` +
    `<rect x="-12" y="${-top}" width="100%" height="100%" fill="${color("--paper")}"/><g transform="translate(0 ${-top})" fill="currentColor">` +
    `<text y="18" font-size="15" font-weight="600">${escape(data.title)}</text>${legend}</g>${inside}</svg>`;
  return new XMLSerializer().serializeToString(holder.firstChild);  // knows the name space
};

// Figures -----------------------------------------------------------------------------------------
const said = document.createElement("p");  // what the keyboard found, for those who hear it
said.className = "heard";
said.setAttribute("role", "status");
const button = (words, title, press) => {
  const b = document.createElement("button");
  b.type = "button";
  b.textContent = words;
  b.title = title;
  b.addEventListener("click", press);
  return b;
};

// A figure whose picture follows the width of the page and the pointer.
const live = figure => {
  const canvas = figure.querySelector(".canvas"), legend = figure.querySelector(".legend"), hidden = new Set();
  let all = null, data = null, picture = null, drawnAt = 0, shown = -1, windowOf = null, dragFrom = null;
  const tip = document.createElement("div"), tools = document.createElement("div");
  tip.className = "tip";
  tools.className = "tools";
  const hide = () => {
    tip.hidden = true;
    shown = -1;
    const cursor = canvas.querySelector(".cursor");
    if (cursor) cursor.innerHTML = "";
  };
  const draw = () => {
    const width = Math.max(Math.round(canvas.clientWidth), 280);
    if (!all || width === drawnAt) return;
    drawnAt = width;
    picture = (data.parts ? drawBars : drawPlot)(data, width);
    canvas.innerHTML = picture.svg;
    canvas.append(tip);
    hide();
  };
  const refresh = () => {
    data = without(windowOf ? within(all, windowOf) : all, hidden);
    whole.hidden = !windowOf;
    drawnAt = 0;
    draw();
  };
  const drawLegend = () => {
    legend.innerHTML = "";
    const named = seriesOf(all).filter(s => s.name);
    for (const s of named) {
      const entry = button("", "show or hide", () => {
        if (!hidden.delete(s.name)) hidden.add(s.name);
        entry.setAttribute("aria-pressed", !hidden.has(s.name));
        refresh();
      });
      entry.innerHTML = swatch(s) + escape(s.name);
      entry.setAttribute("aria-pressed", !hidden.has(s.name));
      legend.append(entry);
    }
  };
  // Places of all data, whatever is shown, between which a window lies.
  const zoom = (a, b) => {
    const first = data.parts && windowOf ? windowOf[0] : 0;
    const [from, to] = [Math.min(a, b) + first, Math.max(a, b) + first];
    if (to > from) { windowOf = [from, to]; refresh(); }
  };
  const unzoom = () => { windowOf = null; refresh(); };
  const show = i => {
    if (!(i >= 0 && i < picture.places.length)) return;
    shown = i;
    canvas.querySelector(".cursor").innerHTML = picture.cursor(i);
    tip.innerHTML = `<b>${escape(picture.head(i))}</b><table>` + picture.rows(i).map(row =>
      `<tr><td>${swatch(row)}${escape(row.name)}</td><td>${escape(row.value)}</td></tr>`).join("") + "</table>";
    tip.hidden = false;
    const scale = canvas.clientWidth / picture.width, at = picture.places[i] * scale;
    const right = at < canvas.clientWidth / 2;
    tip.style.left = (right ? Math.min(at + 14, canvas.clientWidth - tip.offsetWidth)
                            : Math.max(at - 14 - tip.offsetWidth, 0)) + "px";
  };
  const nearestTo = event => {
    const x = (event.clientX - canvas.getBoundingClientRect().left) * picture.width / canvas.clientWidth;
    let nearest = -1;
    picture.places.forEach((place, i) => {
      if (nearest < 0 || Math.abs(place - x) < Math.abs(picture.places[nearest] - x)) nearest = i;
    });
    return nearest;
  };
  const drawDrag = to => {
    const [a, b] = [picture.places[dragFrom], picture.places[to]].sort((p, q) => p - q);
    canvas.querySelector(".cursor").innerHTML +=
      `<rect x="${px(a)}" y="8" width="${px(b - a)}" height="${picture.height - 8}" fill="currentColor" fill-opacity=".12"/>`;
  };
  canvas.tabIndex = 0;
  canvas.setAttribute("role", "group");
  canvas.addEventListener("pointerdown", event => {
    if (event.button !== 0) return;
    dragFrom = nearestTo(event);
    event.preventDefault();
    canvas.focus({preventScroll: true});
  });
  canvas.addEventListener("pointermove", event => {
    const nearest = nearestTo(event);
    if (nearest === shown) return;
    show(nearest);
    if (dragFrom !== null && dragFrom !== nearest) drawDrag(nearest);
  });
  canvas.addEventListener("pointerup", event => {
    const from = dragFrom, to = nearestTo(event);
    dragFrom = null;
    if (from !== null && from !== to) zoom(picture.stops[from], picture.stops[to]);
  });
  canvas.addEventListener("pointercancel", () => { dragFrom = null; });
  canvas.addEventListener("dblclick", unzoom);
  canvas.addEventListener("pointerleave", () => { dragFrom = null; hide(); });
  canvas.addEventListener("blur", hide);
  canvas.addEventListener("keydown", event => {
    const step = {ArrowLeft: -1, ArrowRight: 1}[event.key], last = picture.places.length - 1;
    if (step) {
      show(shown < 0 ? (step > 0 ? 0 : last) : shown + step);
      if (shown >= 0) said.textContent = `${picture.head(shown)}: ` + picture.rows(shown).map(r => `${r.name} ${r.value}`).join(", ");
    } else if (event.key === "+") {
      const middle = shown < 0 ? Math.floor(last / 2) : shown, reach = Math.max(1, Math.floor(last / 4));
      zoom(picture.stops[Math.max(0, middle - reach)], picture.stops[Math.min(last, middle + reach)]);
    } else if (event.key === "-" || event.key === "0") {
      unzoom();
    } else if (event.key === "Escape") {
      hide();
    } else {
      return;
    }
    event.preventDefault();
  });
  const whole = button("Whole", "all of it again (double click, or 0)", unzoom);
  tools.append(whole,
    button("CSV", "download these numbers", () => save(fileName(all.title) + ".csv", "text/csv", csv(data))),
    button("SVG", "download this picture", () => save(fileName(all.title) + ".svg", "image/svg+xml", svgFile(data, picture))));
  figure.querySelector("figcaption").after(tools);
  new ResizeObserver(draw).observe(canvas);
  return next => {
    all = next;
    windowOf = windowOf && all && !all.parts ? windowOf : null;
    figure.hidden = !all;
    if (!all) return;
    figure.querySelector("figcaption").textContent = all.title;
    canvas.setAttribute("aria-label", `${all.title}. Arrow keys read the values, plus and minus zoom; so does dragging.`);
    drawLegend();
    refresh();
  };
};

// A picture among many: what all have alike is told once.
const inflated = (look, item) => {
  if (!item) return null;
  const plot = item.look || look, values = item.values.map(unpacked), lines = 2 * plot.bands.length;
  return {...plot, title: item.title,
          bands: plot.bands.map((s, i) => ({...s, low: values[2 * i], high: values[2 * i + 1]})),
          lines: plot.lines.map((s, i) => ({...s, y: values[lines + i]}))};
};

// The finished pictures of many, one for each.
const framed = (figure, pictures) => i => {
  const caption = figure.querySelector("figcaption"), canvas = figure.querySelector(".canvas");
  figure.hidden = !pictures[i];
  if (!pictures[i]) return;
  [caption.textContent, canvas.innerHTML] = pictures[i];
};

// Heat maps: the colour under the pointer, read back by the bar of colours.
const unitIn = label => (/\[(.*)\]/.exec(label) || ["", ""])[1];
const nameIn = label => label.replace(/\s*\[.*\]/, "");
const quantity = (value, digits, label) => withUnit(valueText(Number(value.toPrecision(digits))), `[${unitIn(label)}]`);
const heatPixels = new Map();  // by the images' own text
const pixelsOf = image => {
  const source = image.getAttribute("href");
  if (!heatPixels.has(source)) {
    heatPixels.set(source, null);
    const picture = new Image();
    picture.onload = () => {
      const sheet = document.createElement("canvas");
      [sheet.width, sheet.height] = [picture.naturalWidth, picture.naturalHeight];
      const ink = sheet.getContext("2d");
      ink.drawImage(picture, 0, 0);
      heatPixels.set(source, ink.getImageData(0, 0, sheet.width, sheet.height));
    };
    picture.src = source;
  }
  return heatPixels.get(source);
};
const colorAt = (pixels, column, row) => {
  const first = 4 * (Math.min(row, pixels.height - 1) * pixels.width + Math.min(column, pixels.width - 1));
  return pixels.data.slice(first, first + 4).join();
};
// What a place holds; "" while the images are read.
const heatValue = (svg, heat, fx, fy) => {
  const [image, bar] = [...svg.querySelectorAll("image")].map(pixelsOf);
  if (!image || !bar) return "";
  const color = colorAt(image, Math.floor(fx * image.width), Math.floor((1 - fy) * image.height));
  const [low, high] = heat.value, last = bar.width - 1;
  const level = [...Array(bar.width).keys()].find(k => colorAt(bar, k, 0) === color);
  if (level === undefined) return "–";
  return (level === 0 ? "≤ " : level === last ? "≥ " : "") + quantity(low + level / last * (high - low), 4, heat.labels[2]);
};
const heatTip = (svg, event) => {
  const canvas = svg.closest(".canvas"), heat = JSON.parse(svg.dataset.heat), box = svg.getBoundingClientRect();
  const scale = svg.viewBox.baseVal.width / box.width, left = event.clientX - box.left, top = event.clientY - box.top;
  const fx = (left * scale - heat.left) / heat.side, fy = 1 - (top * scale - heat.top) / heat.side;
  const value = fx >= 0 && fx < 1 && fy > 0 && fy <= 1 ? heatValue(svg, heat, fx, fy) : "";
  const tip = canvas.querySelector(".tip") || canvas.appendChild(document.createElement("div"));
  tip.className = "tip";
  tip.hidden = value === "";
  const along = ([low, high], f) => low + f * (high - low), [x, y, colors] = heat.labels;
  const rows = [[nameIn(x), quantity(along(heat.x, fx), 4, x)], [nameIn(y), quantity(along(heat.y, fy), 4, y)], [nameIn(colors), value]];
  tip.innerHTML = `<table>${rows.map(row => `<tr>${row.map(cell => `<td>${escape(cell)}</td>`).join("")}</tr>`).join("")}</table>`;
  tip.style.left = (left < box.width / 2 ? left + 14 : Math.max(left - 14 - tip.offsetWidth, 0)) + "px";
  tip.style.top = Math.max(top - tip.offsetHeight - 8, 0) + "px";
};
document.addEventListener("pointermove", event => {
  const svg = event.target.closest ? event.target.closest("svg.heat") : null;
  for (const tip of document.querySelectorAll(".heats .tip")) tip.hidden = true;
  if (svg) heatTip(svg, event);
});
document.querySelectorAll("svg.heat image").forEach(pixelsOf);

// One of many things by name, and its figures.
const choose = (chooser, figures) => {
  const select = chooser.querySelector("select"), search = chooser.querySelector("input");
  const all = JSON.parse(document.getElementById(chooser.dataset.names).textContent);
  const plain = text => text.normalize("NFD").replace(/[\u0300-\u036f]/g, "").toLowerCase();
  const names = all.map(plain);
  const list = wanted => {
    const matches = names.flatMap((name, i) => name.includes(wanted) ? [i] : []);
    select.innerHTML = matches.map(i => `<option value="${i}">${escape(all[i])}</option>`).join("")
      || "<option disabled>no match</option>";
    return matches;
  };
  const pick = i => figures.forEach(show => show(i));
  list("");
  select.addEventListener("change", () => pick(select.value));
  search.addEventListener("input", () => {
    const matches = list(plain(search.value.trim()));
    if (matches.length) pick(matches[0]);
  });
  search.hidden = names.length < 8;
  chooser.hidden = false;
  pick(0);
};

document.documentElement.classList.add("live");
document.body.append(said);
const figures = document.querySelectorAll("figure[data-from]");
if (figures.length) {
  const hint = document.createElement("p");
  hint.className = "hint";
  hint.textContent = "Figures: point at them or use the arrow keys to read values, drag or press + to zoom, double click or 0 for the " +
    "whole, press a name of the legend to hide it.";
  figures[0].before(hint);
}
const chosen = new Map(), dataOf = id => JSON.parse(document.getElementById(id).textContent);
const follow = (chooser, show) => chosen.set(chooser, [...(chosen.get(chooser) || []), show]);
for (const figure of figures) {
  const data = dataOf(figure.dataset.from), show = live(figure), chooser = figure.dataset.chooser;
  if (chooser) follow(chooser, i => show(inflated(data.look, data.items[i])));
  else show(data);
}
for (const figure of document.querySelectorAll("figure[data-pictures]")) {
  follow(figure.dataset.chooser, framed(figure, dataOf(figure.dataset.pictures)));
}
for (const [id, chosenFigures] of chosen) choose(document.getElementById(id), chosenFigures);
document.title = document.querySelector("h1").textContent;
})();
)js";

}  // namespace lockstep::io
