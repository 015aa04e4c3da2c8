// What this browser remembers: for each game the token, the invitation and what was promised; and a few wishes.
// A browser that keeps nothing plays as well, until the page is left.

const GAME = "crisps:game:";
const SEAT = "crisps:seat:";
const WISHES = "crisps:wishes";
const MOST_GAMES = 30;

/** A storage of the browser, or a plain map where it keeps nothing. */
class Shelf {
  #storage;
  #held = new Map();

  constructor(name) {
    try {
      this.#storage = globalThis[name];
    } catch {
      this.#storage = null;
    }
  }

  get(key) {
    try {
      const text = this.#storage?.getItem(key) ?? this.#held.get(key);
      return text === undefined || text === null ? null : JSON.parse(text);
    } catch {
      return null;
    }
  }

  set(key, value) {
    const text = JSON.stringify(value);
    this.#held.set(key, text);
    try {
      this.#storage?.setItem(key, text);
    } catch {
      // full or forbidden: it is held as long as the page is
    }
  }

  remove(key) {
    this.#held.delete(key);
    try {
      this.#storage?.removeItem(key);
    } catch {
      // then it stays
    }
  }

  keys() {
    try {
      return [...new Set([...Object.keys(this.#storage ?? {}), ...this.#held.keys()])];
    } catch {
      return [...this.#held.keys()];
    }
  }
}

export class Memory {
  #long = new Shelf("localStorage");
  #tab = new Shelf("sessionStorage");

  /** What is kept of a game: {token, invite, title, at, finished, deals: {number: {promised, seed, hand}}}. */
  game(id) {
    return this.#long.get(GAME + id) ?? {};
  }

  /** Keep more of a game, or other things than before. */
  keep(id, more) {
    this.#long.set(GAME + id, { ...this.game(id), ...more, at: Date.now() });
    for (const { id: old } of this.games().slice(MOST_GAMES)) this.#long.remove(GAME + old);
  }

  /** Keep more of one deal of a game. */
  keepDeal(id, number, more) {
    const deals = this.game(id).deals ?? {};
    this.keep(id, { deals: { ...deals, [number]: { ...deals[number], ...more } } });
  }

  /** Keep what a seat's view tells of its game: whom it is played against, what is promised, what was dealt. */
  remember(view, events) {
    const { id, viewer, seats, next_deal: promised } = view;
    if (promised) this.keepDeal(id, promised.number, { promised: promised.commitment });
    const dealt = events.findLast((event) => event.type === "dealt");
    if (dealt) this.keepDeal(id, dealt.number, { hand: dealt.hands[viewer] });
    const other = seats[1 - viewer];
    const title = { kind: other.kind, name: other.name ?? null, level: other.level ?? null };
    this.keep(id, { title, scores: [seats[viewer].score, other.score], finished: view.phase === "finished" });
  }

  forget(id) {
    this.#long.remove(GAME + id);
    this.#tab.remove(SEAT + id);
  }

  /** The games kept here, the latest first. */
  games() {
    return this.#long
      .keys()
      .filter((key) => key.startsWith(GAME))
      .map((key) => ({ id: key.slice(GAME.length), ...this.#long.get(key) }))
      .sort((one, other) => (other.at ?? 0) - (one.at ?? 0));
  }

  /** The token to act with: that of this tab, so that both seats of a game can be taken in one browser. */
  token(id) {
    return this.#tab.get(SEAT + id) ?? this.game(id).token ?? null;
  }

  /** Keep a token for this tab, and for the browser if it has none of the game. */
  sit(id, token) {
    this.#tab.set(SEAT + id, token);
    if (!this.game(id).token) this.keep(id, { token });
  }

  /** Forget a token that is none of this game's. */
  stand(id, token) {
    this.#tab.remove(SEAT + id);
    if (this.game(id).token === token) this.keep(id, { token: null });
  }

  /** What was chosen at the last start, and whether keys are shortcuts. */
  get wishes() {
    return this.#long.get(WISHES) ?? {};
  }

  wish(more) {
    this.#long.set(WISHES, { ...this.wishes, ...more });
  }
}
