// What happened, told from events: plain facts, no words.

/** The events of the deal on the table, or of the last one. */
export function ofTheDeal(events) {
  const start = events.findLastIndex((event) => event.type === "dealt");
  return start < 0 ? [] : events.slice(start);
}

/** The round that ended last in this deal: {plays, passed, drew}, or null before any has. */
export function endedRound(events) {
  let plays = [];
  let ended = null;
  for (const event of ofTheDeal(events)) {
    if (event.type === "played") plays.push({ seat: event.seat, cards: event.cards });
    else if (event.type === "passed") {
      ended = { plays, passed: event.seat, drew: null };
      plays = [];
    } else if (event.type === "drew" && ended) ended.drew = event;
  }
  return ended;
}

/** The plays that ended a deal: its last round, whole. */
export function lastPlays(events) {
  const deal = ofTheDeal(events);
  return deal.slice(deal.findLastIndex((event) => event.type === "passed") + 1).filter((event) => event.type === "played");
}

/** The card that a seat has drawn and not acted since, or null. */
export function freshCard(events, seat) {
  if (seat === null) return null;
  for (const event of ofTheDeal(events).reverse()) {
    if (event.type === "drew") return event.drawn[seat];
    if (event.seat === seat && event.type !== "dealt") return null;
  }
  return null;
}

/** Why the game ended, or null while it has not. */
export function endingOf(events) {
  return events.findLast((event) => event.type === "game_ended")?.reason ?? null;
}

/** Where in each source a card came from, by seat, for a `drew` event: face_up or draw_pile. */
export function drawnFrom(event) {
  if (event.source === null) return ["draw_pile", "draw_pile"];
  const other = event.source === "face_up" ? "draw_pile" : "face_up";
  return event.seat === 0 ? [event.source, other] : [other, event.source];
}

/** For each play event whether it led its round, in the order of all events. */
export function leads(events) {
  const found = new Set();
  let led = false;
  for (const event of events) {
    if (event.type === "played") {
      if (!led) found.add(event.version);
      led = true;
    } else if (event.type === "passed" || event.type === "dealt") led = false;
  }
  return found;
}

/** The numbers of the deals that have ended or were cut short, the latest first. */
export function endedDeals(events, view) {
  const dealt = events.filter((event) => event.type === "dealt").map((event) => event.number);
  const last = view.deal ? view.deal.number - 1 : Math.max(0, view.last_deal?.number ?? 0, ...dealt);
  return Array.from({ length: last }, (_, index) => last - index);
}
