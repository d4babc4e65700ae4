#include "io/page_assets.hpp"

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
const valueText = value => {
  if (!drawable(value)) return "–";
  const size = Math.abs(value), [factor, letter] = suffix(size, 1e6);
  if (size !== 0 && (size < 1e-4 || size >= 1e15)) return minus(scientific(value));
  return minus(Number((value / factor).toPrecision(size >= 1e5 && size < 1e6 ? 6 : 5)) + letter);
};
const tickTexts = (ticks, step) => {
  const size = Math.max(0, ...ticks.map(Math.abs)), [factor, letter] = suffix(size, 1e4);
  let decimals = 0;
  for (let s = step / factor; decimals < 9 && Math.abs(s - Math.round(s)) >= 1e-6 * s; s *= 10) ++decimals;
  const plain = size < 1e15 && (size >= 1e-3 || size === 0);
  return ticks.map(tick => minus(tick === 0 ? "0" : plain ? (tick / factor).toFixed(decimals) + letter
                                                          : scientific(tick)));
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
  return axis(all[0], all[all.length - 1], ticks, ticks.map(t => tickTexts([t], t)[0]), true);
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
    `fill="none" font-size="12"><g fill="currentColor">${svg}`;
  return {open, close: `<g class="cursor"></g></g></svg>`, x, y: f => place(f), top, bottom, left, right, width};
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
const through = points => points.map(([x, y], i) => `${i ? "L" : "M"}${px(x)} ${px(y)}`).join("");
const xsOf = (series, values) => Array.isArray(series.x) ? series.x : values.map((_, i) => series.x + i);

const drawPlot = (plot, width) => {
  const lines = plot.lines.map(s => ({...s, xs: xsOf(s, s.y)}));
  const bands = plot.bands.map(s => ({...s, xs: xsOf(s, s.low)}));
  const good = values => plot.log_y ? values.filter(v => v > 0) : values;
  const yRange = rangeOf([...lines.flatMap(s => good(s.y)), ...bands.flatMap(s => good(s.low).concat(good(s.high)))]);
  const y = plot.log_y ? logAxis(yRange, 5) : valueAxis(yRange, plot.from_zero, 5);
  const allX = [...lines, ...bands].flatMap(s => s.xs), names = plot.x_ticks;
  const x = positionAxis(rangeOf(allX) || (names.length ? [0, names.length - 1] : null),
                         allX.every(Number.isInteger), Math.max(3, Math.min(8, Math.floor(width / 80))));
  const f = frame(plot, width, y, length => names.length
    ? everyNth(names, i => x.at(i), length / Math.max(x.high - x.low, 1), 10)
    : x.ticks.map((tick, i) => [x.at(tick), x.labels[i]]));
  const at = (vx, vy) => [f.x(x.at(vx)), f.y(y.at(vy))];
  let svg = f.open;
  for (const band of bands) {
    const points = band.xs.map((vx, i) => [...at(vx, band.high[i]), f.y(y.at(band.low[i]))]);
    const d = runs(points).map(run => through([...run.map(p => [p[0], p[1]]),
                                               ...run.map(p => [p[0], p[2]]).reverse()]) + "Z").join("");
    svg += `<g class="c${band.color}"><path d="${d}" fill="currentColor" fill-opacity="${band.opacity}"/></g>`;
  }
  for (const line of lines) {
    const found = runs(line.xs.map((vx, i) => at(vx, line.y[i])));
    const d = found.filter(run => run.length > 1).map(through).join("");
    const dots = found.filter(run => run.length === 1).map(([[cx, cy]]) =>
      `<circle cx="${px(cx)}" cy="${px(cy)}" r="2.5" fill="currentColor"/>`).join("");
    svg += `<g class="c${line.color}"><path d="${d}" fill="none" stroke="currentColor" stroke-width="2" ` +
      `stroke-linejoin="round" stroke-linecap="round"${line.dashed ? ` stroke-dasharray="6 4"` : ""}/>${dots}</g>`;
  }
  const stops = [...new Set(allX.filter(drawable))].sort((a, b) => a - b);
  const index = new Map([...lines, ...bands].map(s => [s, new Map(s.xs.map((vx, i) => [vx, i]))]));
  const rowsAt = stop => [...lines, ...bands].flatMap(s => {
    const i = index.get(s).get(stop);
    if (i === undefined) return [];
    const value = s.y ? valueText(s.y[i]) : `${valueText(s.low[i])} to ${valueText(s.high[i])}`;
    return [{color: s.color, key: s.y ? (s.dashed ? "line dashed" : "line") : "area", opacity: s.opacity, name: s.name, value}];
  });
  return {
    svg: svg + f.close, width, places: stops.map(stop => f.x(x.at(stop))),
    head: i => names[stops[i]] ?? [plot.x_label, valueText(stops[i])].filter(Boolean).join(" "),
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
          `height="${px(f.y(y.at(below)) - top)}" fill="currentColor" fill-opacity="${part.opacity}"/></g>`;
      }
      below += heights[p][i];
    });
  });
  return {
    svg: svg + f.close, width, places: bars.labels.map((_, i) => f.x(middle(i))),
    head: i => bars.labels[i],
    rows: i => [...bars.parts.map(part => ({...part, key: "area", value: valueText(part.value[i])})).reverse(),
                ...(bars.parts.length > 1 ? [{name: "total", value: valueText(totals[i])}] : [])],
    cursor: i => `<rect x="${px(f.x(middle(i)) - slot / 2)}" y="${f.top}" width="${px(slot)}" height="${area}" ` +
      `fill="currentColor" fill-opacity=".09"/>`
  };
};
)js"
                                     R"js(
// Hands -------------------------------------------------------------------------------------------
const keyOf = item => item.key
  ? `<span class="c${item.color}"><i class="key ${item.key}" style="opacity:${item.key === "area" ? Math.min(1.8 * item.opacity, 1) : 1}"></i></span>` : "";

// A figure whose picture follows the width of the page and the pointer.
const live = figure => {
  const canvas = figure.querySelector(".canvas");
  let data = null, picture = null, drawnAt = 0, shown = -1;
  const tip = document.createElement("div");
  tip.className = "tip";
  const hide = () => {
    tip.hidden = true;
    shown = -1;
    const cursor = canvas.querySelector(".cursor");
    if (cursor) cursor.innerHTML = "";
  };
  const draw = () => {
    const width = Math.max(Math.round(canvas.clientWidth), 280);
    if (!data || width === drawnAt) return;
    drawnAt = width;
    picture = (data.parts ? drawBars : drawPlot)(data, width);
    canvas.innerHTML = picture.svg;
    canvas.append(tip);
    hide();
  };
  const show = i => {
    if (!(i >= 0 && i < picture.places.length)) return;
    shown = i;
    canvas.querySelector(".cursor").innerHTML = picture.cursor(i);
    tip.innerHTML = `<b>${escape(picture.head(i))}</b><table>` + picture.rows(i).map(row =>
      `<tr><td>${keyOf(row)}${escape(row.name)}</td><td>${escape(row.value)}</td></tr>`).join("") + "</table>";
    tip.hidden = false;
    const scale = canvas.clientWidth / picture.width, at = picture.places[i] * scale;
    const right = at < canvas.clientWidth / 2;
    tip.style.left = (right ? Math.min(at + 14, canvas.clientWidth - tip.offsetWidth)
                            : Math.max(at - 14 - tip.offsetWidth, 0)) + "px";
  };
  canvas.tabIndex = 0;
  canvas.addEventListener("pointermove", event => {
    const x = (event.clientX - canvas.getBoundingClientRect().left) * picture.width / canvas.clientWidth;
    let nearest = -1;
    picture.places.forEach((place, i) => {
      if (nearest < 0 || Math.abs(place - x) < Math.abs(picture.places[nearest] - x)) nearest = i;
    });
    if (nearest !== shown) show(nearest);
  });
  canvas.addEventListener("pointerleave", hide);
  canvas.addEventListener("blur", hide);
  canvas.addEventListener("keydown", event => {
    const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    if (step) {
      event.preventDefault();
      show(shown < 0 ? (step > 0 ? 0 : picture.places.length - 1) : shown + step);
    } else if (event.key === "Escape") {
      hide();
    }
  });
  new ResizeObserver(draw).observe(canvas);
  return next => {
    data = next;
    drawnAt = 0;
    draw();
  };
};

// One of many plots, by name.
const choose = (figure, all, show) => {
  const chooser = figure.previousElementSibling;
  const select = chooser.querySelector("select"), search = chooser.querySelector("input");
  const plots = all.plots.map(plot => ({...all.plots[0], ...plot}));
  const plain = text => text.normalize("NFD").replace(/[\u0300-\u036f]/g, "").toLowerCase();
  const names = all.names.map(plain);
  const list = wanted => {
    const matches = names.flatMap((name, i) => name.includes(wanted) ? [i] : []);
    select.innerHTML = matches.map(i => `<option value="${i}">${escape(all.names[i])}</option>`).join("")
      || "<option disabled>no match</option>";
    return matches;
  };
  const pick = i => {
    const plot = plots[i];
    figure.querySelector("figcaption").textContent = plot.title || all.names[i];
    figure.querySelector(".legend").innerHTML = [
      ...plot.lines.map(s => ({...s, key: s.dashed ? "line dashed" : "line"})),
      ...plot.bands.map(s => ({...s, key: "area"}))
    ].filter(s => s.name).map(s => `<span>${keyOf(s)}${escape(s.name)}</span>`).join("");
    show(plot);
  };
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
for (const figure of document.querySelectorAll("figure[data-from]")) {
  const data = JSON.parse(document.getElementById(figure.dataset.from).textContent);
  const show = live(figure);
  if (data.plots) choose(figure, data, show);
  else show(data);
}
document.title = document.querySelector("h1").textContent;
})();
)js";

}  // namespace lockstep::io
