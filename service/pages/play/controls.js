// What the viewer can do now: what it is up to, the chosen cards by name, ways to go on, and the buttons.

import { face } from "./art.js";
import { button, h, icon } from "./dom.js";
import { t } from "./language.js";
import { continuations, mayPass, playOf, plays, situation } from "./legal.js";
import { secondsLeft } from "./players.js";
import { cardNames, playName, seatName } from "./words.js";

const MOST_WAYS = 14;

/** One sentence: what is to be done. */
export function statusText(game) {
  const { shown: view, busy } = game;
  if (busy === "computer" || (busy === "play" && view.seats[1 - view.viewer].kind === "ai")) return t("status.computer");
  const who = view.to_act === null ? "" : seatName(view, view.to_act);
  const play = view.deal?.to_follow ? playName(view.deal.to_follow, view.rules.edition) : "";
  switch (situation(view)) {
    case "lead":
      return t("status.lead");
    case "follow":
      return plays(view.legal_actions).length > 0 ? t("status.follow", { play }) : t("status.onlyPass", { play });
    case "draw":
      return t("status.draw");
    case "wait":
      return t("status.wait", { who });
    case "watching":
      return who ? t("status.watching", { who }) : t("status.watchingNobody");
    default:
      return t(`status.${situation(view)}`);
  }
}

/** The chosen cards by name, and whether they are a legal play. */
function selectionLine(game) {
  const { view, selection } = game;
  const { edition } = view.rules;
  const play = playOf(selection, view.legal_actions);
  if (selection.length === 0) return h("p", { class: "selection none", text: t("selection.none", { count: plays(view.legal_actions).length }) });
  if (play) return h("p", { class: "selection legal" }, icon("check"), h("span", { text: playName(play, edition) }));
  return h("p", { class: "selection part", text: t("selection.part", { cards: cardNames(selection, edition) }) });
}

/** Legal plays that the chosen cards can become, to be chosen whole. */
function ways(game) {
  const { view, selection } = game;
  const open = continuations(selection, view.legal_actions);
  const leading = view.deal.to_follow === null;
  if (open.length === 0 || (selection.length === 0 && leading)) return null;
  const shown = open.slice(0, MOST_WAYS);
  return h(
    "div",
    { class: "ways", role: "group", "aria-label": t("ways.label") },
    shown.map((play) => wayButton(game, play)),
    open.length > shown.length && h("span", { class: "more", text: t("ways.more", { count: open.length - shown.length }) }),
  );
}

function wayButton(game, play) {
  const { edition } = game.view.rules;
  const made = button(`way-${play.cards.join("-")}`, null, () => game.choose(play.cards), { class: "way", "aria-label": playName(play, edition) });
  made.append(...play.cards.map((card) => face(card, edition)));
  return made;
}

export function controlsKey(game, now) {
  const { shown: view, chosen, busy, link } = game;
  return [view.version, view.phase, view.viewer, [...chosen], busy, link === "offline", claimable(game, now), view.legal_actions.length];
}

/** Whether the viewer may win on time now. */
export function claimable(game, now) {
  const { view } = game;
  const waits = view.viewer !== null && view.to_act === 1 - view.viewer && view.turn_deadline !== null;
  return waits && secondsLeft(view.turn_deadline, now) <= 0;
}

export function controls(game, doing, now) {
  const { view, mine, busy } = game;
  const choosing = mine && view.phase === "play";
  return [
    h("p", { class: mine ? "status yours" : "status", text: statusText(game) }),
    choosing && ways(game),
    h(
      "div",
      { class: "actions" },
      choosing && selectionLine(game),
      choosing && button("play", t("action.play"), () => doing.play(), { class: "primary", disabled: !playOf(game.selection, view.legal_actions), "aria-keyshortcuts": "Enter" }),
      choosing && button("pass", t("action.pass"), () => doing.pass(), { disabled: !mayPass(view.legal_actions), "aria-keyshortcuts": "p" }),
      (mine || busy === "advice") && adviceButton(doing, busy),
      claimable(game, now) && button("claim", t("action.claim"), () => doing.claim(), { class: "primary", disabled: busy !== null }),
    ),
  ];
}

function adviceButton(doing, busy) {
  const made = button("advice", null, () => doing.advise(), { class: "advise", disabled: busy !== null, "aria-keyshortcuts": "a" });
  made.append(icon("bulb"), h("span", { text: busy === "advice" ? t("advice.thinking") : t("advice.ask") }));
  return made;
}
