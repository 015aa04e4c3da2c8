// A deal's win probability as a line, drawn as SVG.

import { h } from "./dom.js";
import { t } from "./language.js";
import { percent } from "./words.js";

const HEIGHT = 220;
const LEFT = 44;
const RIGHT = 14;
const TOP = 14;
const BOTTOM = 26;
const COSTLY = 0.08;

/** A seat's chance to win the deal after each decision of either; the end of the deal comes last. */
export function chances(analysis, seat) {
  const line = analysis.decisions.map((decision) => {
    const chance = decision.played_win_probability;
    return { chance: decision.seat === seat ? chance : 1 - chance, decision, costly: decision.loss >= COSTLY };
  });
  if (analysis.winner !== null) line.push({ chance: analysis.winner === seat ? 1 : 0, decision: null, costly: false });
  return line;
}

/** Where a chance stands in a picture of this width. */
export function point(index, count, chance, width) {
  const x = LEFT + (count < 2 ? 0 : (index / (count - 1)) * (width - LEFT - RIGHT));
  const y = TOP + (1 - chance) * (HEIGHT - TOP - BOTTOM);
  return [Math.round(10 * x) / 10, Math.round(10 * y) / 10];
}

/** The picture; `label` says in words what it shows, for everything in it is in the table below as well. */
export function chart(line, seat, label, width) {
  const points = line.map(({ chance }, index) => point(index, line.length, chance, width));
  const floor = point(0, line.length, 0, width)[1];
  const area = [[points[0][0], floor], ...points, [points.at(-1)[0], floor]];
  const grid = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const [, y] = point(0, 2, share, width);
    return h(
      "g",
      {},
      h("line", { class: share === 0.5 ? "grid half" : "grid", x1: LEFT, x2: width - RIGHT, y1: y, y2: y }),
      share % 0.5 === 0 && h("text", { class: "axis", x: LEFT - 8, y: y + 4, "text-anchor": "end", text: percent(share) }),
    );
  });
  return h(
    "svg",
    { class: "chart", viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": label },
    grid,
    h("path", { class: "area", d: `M${area.map((at) => at.join(" ")).join("L")}Z` }),
    h("polyline", { class: "line", points: points.map((at) => at.join(",")).join(" ") }),
    line.map(({ decision, costly }, index) => dot(points[index], decision, costly, seat)),
    h("text", { class: "axis", x: LEFT, y: HEIGHT - 6, text: t("chart.start") }),
    h("text", { class: "axis", x: width - RIGHT, y: HEIGHT - 6, "text-anchor": "end", text: t("chart.end") }),
  );
}

function dot([x, y], decision, costly, seat) {
  const whose = decision === null ? "end" : decision.seat === seat ? "mine" : "theirs";
  return h("circle", { class: `dot-${whose}${costly ? " costly" : ""}`, cx: x, cy: y, r: costly ? 7 : 4 });
}
