// The middle of the table: the round, the pile and the face-up card, and between deals what comes next.

import { back, face, rain } from "./art.js";
import { button, calm, h, icon } from "./dom.js";
import { t } from "./language.js";
import { situation, sources } from "./legal.js";
import { endedDeals, endedRound, endingOf, lastPlays } from "./story.js";
import { actionName, cardName, eventText, playName, seatName } from "./words.js";

/** What the middle shows, and what that depends on. */
export function centreKey(game) {
  const { shown: view, events, busy } = game;
  const { phase, deal, seats, winner, legal_actions: actions } = view;
  const names = seats.map((seat) => [seat.name, seat.score]);
  return [phase, deal?.number, deal?.round, deal?.face_up, deal?.draw_pile, names, winner, sources(actions), busy, events.length];
}

export function centre(game, doing) {
  const { shown: view } = game;
  if (view.phase === "finished") return [gameOver(game, doing)];
  if (view.deal === null) return [betweenDeals(game, doing)];
  return [stock(game, doing), round(game)];
}

// ------------------------------------------------------------------------------------------- pile and face-up card
function stock(game, doing) {
  const { view } = game;
  const { deal, rules } = view;
  const open = game.mine ? sources(view.legal_actions) : [];
  const choice = (source, picture) => {
    const name = actionName({ type: "draw", source }, rules.edition, deal.face_up);
    const given = { class: "source", "aria-keyshortcuts": source === "face_up" ? "f" : "u" };
    const made = button(source, null, () => doing.draw(source), given);
    made.append(picture, h("span", { class: "take", text: name }));
    return made;
  };
  const pile = deal.draw_pile > 0 ? h("span", { class: "pile", vars: { "--deep": Math.min(4, Math.ceil(deal.draw_pile / 3)) } }, back()) : emptyPlace();
  const count = h("span", { class: "count", text: t("stock.pile", { count: deal.draw_pile }) });
  const up = deal.face_up === null ? null : face(deal.face_up, rules.edition);
  const upName = deal.face_up === null ? t("stock.noFaceUp") : t("stock.faceUp", { card: cardName(deal.face_up, rules.edition) });
  const upCount = h("span", { class: "count", text: upName });
  return h(
    "div",
    { class: open.length > 0 ? "stock choosing" : "stock", role: "group", "aria-label": t("stock.label") },
    h("div", { class: "place" }, open.includes("draw_pile") ? choice("draw_pile", pile) : pile, count),
    !rules.no_face_up_draw &&
      h("div", { class: "place" }, open.includes("face_up") ? choice("face_up", up) : (up ?? emptyPlace()), upCount),
  );
}

function emptyPlace() {
  return h("span", { class: "card empty", "aria-hidden": "true" });
}

// ------------------------------------------------------------------------------------------- the round
function round(game) {
  const { shown: view, events } = game;
  const { plays } = view.deal.round;
  const ended = endedRound(events);
  const over = view.phase === "draw" || (plays.length === 0 && ended !== null);
  const shown = plays.length > 0 ? plays : (ended?.plays ?? []);
  const caption = over && ended ? eventText({ type: "passed", seat: ended.passed }, view) : null;
  return h(
    "div",
    { class: over ? "round over" : "round", role: "group", "aria-label": t("round.label", { number: view.deal.round.number }) },
    shown.length === 0 ? h("p", { class: "hint", text: t("round.empty") }) : h("ol", { class: "plays" }, shown.map((play, index) => onePlay(play, index, shown, view))),
    caption && h("p", { class: "caption", text: caption }),
  );
}

function onePlay(play, index, all, view) {
  const { edition } = view.rules;
  const mine = play.seat === (view.viewer ?? 0);
  const depth = Math.min(3, all.length - 1 - index);
  return h(
    "li",
    { class: `play ${mine ? "mine" : "theirs"}`, "data-depth": depth },
    h("span", { class: "cards", "aria-hidden": "true", vars: { "--cards": play.cards.length } }, play.cards.map((card) => face(card, edition))),
    h("span", { class: "by" }, h("b", { text: play.seat === view.viewer ? t("seat.you") : seatName(view, play.seat) }), h("span", { text: playName(play, edition) })),
  );
}

// ------------------------------------------------------------------------------------------- between deals
function betweenDeals(game, doing) {
  const { view, events, busy } = game;
  const last = view.last_deal;
  const plays = last ? lastPlays(events) : [];
  const next = view.next_deal;
  const who = next && seatName(view, next.starter);
  const starter = next && t(next.starter === view.viewer ? "next.you" : "next.other", { who });
  const headline = last ? eventText({ type: "deal_ended", ...last }, view) : t("next.first");
  return h(
    "section",
    { class: "between panel", "aria-label": headline },
    h("h2", { text: headline }),
    lastCards(plays, view),
    scoreLine(view),
    h("p", { text: starter }),
    view.viewer !== null &&
      h(
        "div",
        { class: "buttons" },
        button("deal", last ? t("next.dealNext") : t("next.deal"), doing.deal, { class: "primary", disabled: busy !== null, "aria-keyshortcuts": "d" }),
        last && button("review", t("review.open", { number: last.number }), () => doing.review(last.number), { "aria-keyshortcuts": "r" }),
      ),
    view.viewer === null && last && button("review", t("review.open", { number: last.number }), () => doing.review(last.number)),
    next && h("p", { class: "promise" }, icon("check"), h("span", { text: t("next.promise", { start: next.commitment.slice(0, 12) }), title: next.commitment })),
  );
}

function lastCards(plays, view) {
  if (plays.length === 0) return null;
  return h("div", { class: "cards last", "aria-hidden": "true" }, plays.at(-1).cards.map((card) => face(card, view.rules.edition)));
}

function scoreLine(view) {
  const seats = view.viewer === null ? [0, 1] : [view.viewer, 1 - view.viewer];
  return h(
    "p",
    { class: "score-line" },
    seats.map((seat) => h("span", {}, h("span", { text: seatName(view, seat) }), h("b", { text: view.seats[seat].score }))),
    h("span", { class: "to-win", text: t("score.toWin", { points: view.rules.points_to_win }) }),
  );
}

function gameOver(game, doing) {
  const { view, events, busy } = game;
  const won = view.winner === view.viewer;
  const reason = endingOf(events) ?? "points";
  const headline = eventText({ type: "game_ended", winner: view.winner, reason }, view);
  const [last] = endedDeals(events, view);
  return h(
    "section",
    { class: `finished panel ${won ? "won" : "lost"}`, "aria-label": headline },
    won && !calm() && rain(),
    h("h2", { text: headline }),
    reason === "points" && lastCards(lastPlays(events), view),
    scoreLine(view),
    h(
      "div",
      { class: "buttons" },
      view.viewer !== null && button("rematch", t("over.rematch"), doing.rematch, { class: "primary", disabled: busy !== null }),
      last !== undefined && button("review", t("over.review"), () => doing.review(last), { "aria-keyshortcuts": "r" }),
      button("new", t("over.new"), doing.home),
    ),
    view.viewer !== null && view.seats[1 - view.viewer].kind === "human" && h("p", { class: "hint", text: t("over.rematchHint") }),
  );
}

/** Whether the middle is where the viewer has to act. */
export function actsInTheMiddle(view) {
  return ["draw", "deal", "finished"].includes(situation(view));
}
