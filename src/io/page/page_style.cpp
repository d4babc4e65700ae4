#include "io/page/page_assets.hpp"

namespace lockstep::io {

const std::string_view page_style = R"css(
:root {
  color-scheme: light dark;
  --ink: #1c222a; --rule: #e2e6eb; --soft: #f5f7f9; --link: #0067a3;
}
@media screen and (prefers-color-scheme: dark) {
  :root { --ink: #e7eaee; --rule: #2c333c; --soft: #1d2329; --link: #6bbcf2; }
}
.c0 { color: var(--c0); } .c1 { color: var(--c1); } .c2 { color: var(--c2); } .c3 { color: var(--c3); }
.c4 { color: var(--c4); } .c5 { color: var(--c5); } .c6 { color: var(--c6); } .c7 { color: var(--c7); }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, "DejaVu Sans", sans-serif;
}
main { max-width: 60rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
h1 { font-size: 1.75rem; line-height: 1.2; font-weight: 650; letter-spacing: -.01em; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; line-height: 1.3; font-weight: 650; margin: 2.75rem 0 .75rem; padding-top: 1.25rem;
  border-top: 1px solid var(--rule); scroll-margin-top: .5rem; }
p { margin: .75rem 0; max-width: 44rem; overflow-wrap: break-word; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
nav { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; margin-top: .9rem; font-size: .9rem; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); gap: 1.1rem 1.5rem; margin: 1.5rem 0; }
.facts div { border-top: 2px solid var(--rule); padding-top: .5rem; }
.facts dt { font-size: .82rem; line-height: 1.3; color: var(--muted); }
.facts dd { margin: .15rem 0 0; font-size: 1.35rem; line-height: 1.25; font-weight: 600;
  font-variant-numeric: tabular-nums; overflow-wrap: break-word; }
.facts .remark { font-size: .82rem; line-height: 1.35; font-weight: 400; color: var(--muted); }
figure { margin: 1.5rem 0 2.25rem; }
figcaption { font-size: .95rem; font-weight: 600; }
.hint { font-size: .82rem; color: var(--muted); }
figure[hidden] { display: none; }
.legend { display: flex; flex-wrap: wrap; gap: .1rem 1.1rem; margin: .2rem 0 .5rem; font-size: .82rem; color: var(--muted); }
.legend button { font: inherit; color: inherit; background: none; border: 0; padding: .15rem 0; cursor: pointer; text-align: left; }
.legend button[aria-pressed=false] { opacity: .55; text-decoration: line-through; }
.key { margin-right: 6px; vertical-align: -.05em; fill: none; }
.tools { float: right; display: flex; gap: .35rem; margin: -1.55rem 0 0 .75rem; }
.tools button { font: inherit; font-size: .75rem; line-height: 1.3; color: var(--muted); background: none;
  border: 1px solid var(--rule); border-radius: 5px; padding: .1rem .45rem; cursor: pointer; }
.tools button:hover, .legend button:hover { color: var(--ink); }
.tools button[hidden] { display: none; }
:is(.tools, .legend) button:focus-visible { outline: 2px solid var(--link); outline-offset: 1px; }
.heard { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.canvas { position: relative; overflow-x: auto; }
.chart { display: block; overflow: visible; min-width: 34rem; color: var(--muted); font-variant-numeric: tabular-nums; }
.live .chart { min-width: 0; touch-action: pan-y; cursor: crosshair; user-select: none; }
.live .canvas { overflow: visible; }
.canvas:focus-visible { outline: 2px solid var(--link); outline-offset: 4px; border-radius: 2px; }
.tip { position: absolute; top: 0; pointer-events: none; z-index: 2; padding: .4rem .6rem; max-width: min(22rem, 90%);
  background: var(--paper); border: 1px solid var(--rule); border-radius: 6px; box-shadow: 0 2px 10px #0002;
  font-size: .8rem; line-height: 1.45; }
.tip b { font-weight: 600; }
.tip table { font-size: inherit; }
.tip td { padding: 0; border: 0; white-space: normal; }
.tip td + td { padding-left: .8rem; text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.maps { display: flex; flex-wrap: wrap; gap: 1.25rem 1.75rem; margin: 1.5rem 0 .75rem; }
.maps figure { margin: 0; min-width: 0; max-width: 100%; }
.board { display: block; color: var(--ink); max-width: none; }
.heats { display: grid; grid-template-columns: repeat(auto-fit, minmax(16.5rem, 1fr)); gap: 1.25rem 1.5rem; margin: 1.5rem 0; }
.heats figure { margin: 0; max-width: 27rem; }
.heat, .still { display: block; width: 100%; height: auto; color: var(--muted); font-variant-numeric: tabular-nums; }
.heat image { image-rendering: pixelated; }
.still text.ink { fill: var(--ink); }
.still.wide { min-width: 34rem; }
.canvas.pan, .live .canvas.pan { overflow-x: auto; }
.narrow { max-width: 40rem; }
.scale { display: flex; align-items: center; gap: .6rem; margin: 0 0 2.25rem; font-size: .82rem; color: var(--muted); }
.chooser { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem; margin: 1.5rem 0 -.75rem; padding: .5rem 0;
  position: sticky; top: 0; z-index: 3; background: var(--paper); }
.chooser[hidden], .tip[hidden] { display: none; }
.chooser label { font-size: .9rem; color: var(--muted); margin-right: .25rem; }
.chooser input, .chooser select, .chooser button {
  font: inherit; font-size: 1rem; line-height: 1.4; color: inherit; background: var(--soft);
  border: 1px solid var(--rule); border-radius: 6px; padding: .25rem .6rem; min-width: 0; }
.chooser select { flex: 0 1 16rem; }
.chooser input { flex: 0 1 11rem; }
.scroll { overflow: auto; margin: 1.25rem 0; }
.scroll.tall { max-height: 31rem; }
table { border-collapse: collapse; font-size: .88rem; line-height: 1.4; }
th, td { padding: .36rem .9rem .36rem 0; text-align: left; vertical-align: baseline; border-bottom: 1px solid var(--rule); }
th:last-child, td:last-child { padding-right: .25rem; }
td { white-space: nowrap; }
td.long { white-space: normal; min-width: 14rem; overflow-wrap: anywhere; }
th { position: sticky; top: 0; background: var(--paper); color: var(--muted); font-weight: 600; }
th.number, td.number { text-align: right; font-variant-numeric: tabular-nums; }
@media (max-width: 36rem) {
  main { padding: 1.5rem 1rem 3rem; }
  h1 { font-size: 1.4rem; }
  .facts { grid-template-columns: repeat(auto-fill, minmax(8.25rem, 1fr)); gap: .9rem 1rem; }
  .facts dd:not(.remark) { font-size: 1.15rem; }
  .tools { float: none; margin: .15rem 0 0; }
  .chooser select, .chooser input { flex: 1 1 40%; }
  .chooser label { flex: 1 0 100%; }
}
@page { margin: 16mm 15mm; }
@media print {
  body { font-size: 10.5pt; -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  main { max-width: none; padding: 0; }
  nav, .chooser, .tip, .cursor, .tools, .hint, .heard { display: none; }
  .legend button[aria-pressed=false] { display: none; }
  h2 { break-after: avoid; }
  figure, .facts, tr { break-inside: avoid; }
  .scroll, .scroll.tall { max-height: none; overflow: visible; }
  td { white-space: normal; }
  .chart, .still.wide { min-width: 0; }
  .heats { grid-template-columns: repeat(3, 1fr); break-inside: avoid; }
  th { position: static; }
}
)css";

}  // namespace lockstep::io
