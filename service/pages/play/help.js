// How the game goes and which keys there are; and the switch for the keys that are single letters.

import { EDITIONS } from "./cards.js";
import { openDialog } from "./dialog.js";
import { h } from "./dom.js";
import { t } from "./language.js";

const KEYS = ["move", "select", "play", "pass", "advice", "deal", "faceUp", "unseen", "review", "label", "clear", "help"];
const RULES = ["goal", "lead", "follow", "special", "pass", "draw", "end"];
const OPTIONS = ["crisps_in_runs", "no_face_up_draw", "automatic_turn_skip"];

export function openHelp(memory, rules) {
  const shortcuts = h("input", { type: "checkbox", id: "shortcuts", on: { change: () => memory.wish({ shortcuts: shortcuts.checked }) } });
  shortcuts.checked = memory.wishes.shortcuts !== false;
  const chosen = rules ? OPTIONS.filter((name) => rules[name]) : [];
  const labels = EDITIONS[rules?.edition ?? "boxed"];
  openDialog(
    t("help.title"),
    h(
      "div",
      { class: "help-body" },
      h("ul", {}, RULES.map((name) => h("li", { text: t(`help.rules.${name}`, { low: labels[0], high: labels.at(-2), top: labels.at(-1) }) }))),
      chosen.length > 0 && h("p", {}, h("b", { text: t("help.options") }), " ", chosen.map((name) => t(`option.${name}.text`)).join(" ")),
      h("h3", { text: t("help.keys") }),
      h("dl", { class: "keys" }, KEYS.map((name) => [h("dt", {}, t(`keys.${name}.keys`).split(" ").map((key) => h("kbd", { text: key }))), h("dd", { text: t(`keys.${name}.text`) })])),
      h("p", { class: "check-row" }, shortcuts, h("label", { for: "shortcuts", text: t("help.shortcuts") })),
    ),
    "help",
  );
}
