// The table's own pictures: one crisp, a few icons, and the faces and backs of cards.

import { EDITIONS, isCrisp, rankOf } from "./cards.js";
import { h } from "./dom.js";

const CRISP = [
  ["path", { class: "crisp-shadow", d: "M8 38C3 22 16 9 34 7c17-2 27 9 24 24-3 18-16 28-31 27C16 57 11 49 8 38Z" }],
  ["path", { class: "crisp-body", d: "M7 35C3 20 16 7 33 5c17-2 27 9 24 24-3 17-16 27-30 26C16 54 10 46 7 35Z" }],
  ["path", { class: "crisp-light", d: "M13 33c-2-11 8-20 20-21 11-1 18 5 17 14-5-7-12-9-20-7-9 2-14 7-17 14Z" }],
  ["path", { class: "crisp-ridge", d: "M14 42c9-14 22-22 39-24M21 50c8-13 19-20 34-22M33 53c5-8 11-12 19-15M12 31c6-9 14-15 24-18" }],
  ["path", { class: "crisp-salt", d: "M24 27h.1M39 21h.1M34 35h.1M46 30h.1M27 43h.1M19 36h.1M41 42h.1" }],
];

const ICONS = {
  help: "M9 9a3 3 0 1 1 4 3c-1 .5-1 1-1 2M12 17.5h.01M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Z",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  flag: "M6 21V4m0 1c4-2 7 2 12 0v8c-5 2-8-2-12 0",
  home: "M4 11 12 4l8 7v8a1 1 0 0 1-1 1h-4v-6H9v6H5a1 1 0 0 1-1-1Z",
  bulb: "M9 18h6M10 21h4M8 14a6 6 0 1 1 8 0c-1 1-1 2-1 3H9c0-1 0-2-1-3Z",
  chart: "M4 4v16h16M7 15l4-5 3 3 5-7",
  close: "M6 6l12 12M18 6 6 18",
  eye: "M2 12c4-7 16-7 20 0-4 7-16 7-20 0Zm10 3a3 3 0 1 0 0-6 3 3 0 0 0 0 6Z",
  check: "M5 13l5 5L19 7",
  clock: "M12 7v5l3 2M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Z",
};

/** The pictures that `use` elements refer to; they have to be in the page once. */
export function pictures() {
  const crisp = h("symbol", { id: "crisp", viewBox: "0 0 64 64" }, ...CRISP.map(([tag, given]) => h(tag, given)));
  const icons = Object.entries(ICONS).map(([name, d]) =>
    h("symbol", { id: `icon-${name}`, viewBox: "0 0 24 24" }, h("path", { d })),
  );
  return h("svg", { class: "pictures", "aria-hidden": "true" }, crisp, icons);
}

/** A crisp. */
export function crisp(name = "") {
  return h("svg", { class: `crisp ${name}`, viewBox: "0 0 64 64", "aria-hidden": "true" }, h("use", { href: "#crisp" }));
}

/** What a card's face looks like; the higher the rank, the larger the crisp. Its label is drawn by the style. */
export function face(label, edition) {
  const rank = rankOf(label, edition);
  const share = rank / (EDITIONS[edition].length - 1);
  const turns = label === "6" || label === "9"; // underlined, for a turned card reads as the other
  const look = ["card", isCrisp(label, edition) && "top", turns && "turns"].filter(Boolean).join(" ");
  const vars = { "--hue": Math.round(215 - 190 * share), "--share": share.toFixed(2) };
  return h("span", { class: look, "aria-hidden": "true", "data-label": label, vars }, crisp());
}

/** A card's back. */
export function back() {
  return h("span", { class: "card back", "aria-hidden": "true" }, crisp());
}

/** Crisps that fall when a game is won. */
export function rain(count = 18) {
  const falling = Array.from({ length: count }, (_, index) =>
    h("span", { vars: { "--at": `${(index * 61) % 100}%`, "--wait": `${(index * 137) % 1900}ms`, "--spin": `${(index % 2 ? 1 : -1) * 220}deg` } }, crisp()),
  );
  return h("div", { class: "rain", "aria-hidden": "true" }, falling);
}
