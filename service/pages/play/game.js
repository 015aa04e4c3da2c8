// One game as this page knows it: the view, the events, what is chosen, and what is under way. It shows nothing itself.

import { newKey, pause, Problem } from "./api.js";
import { placesOf } from "./cards.js";
import { calm } from "./dom.js";
import { cardsAt, computerIsDue, playOf, tapped, withPlay } from "./legal.js";
import { Live } from "./live.js";

const HISTORY = 400;
const BEAT_MS = 550;
const COMPUTER_MS = 1200;
const COMPUTER_TRIES = 5;

export class Game {
  view = null;
  events = [];
  chosen = new Set();
  advice = null;
  presence = null;
  link = "connecting";
  busy = null;
  problem = null;

  #service;
  #memory;
  #changed;
  #live;
  #tag = null;
  #played = null;
  #refreshing = null;
  #again = false;
  #later = [];
  #tries = 0;

  /** `changed` is called after each change of anything that can be seen. */
  constructor(service, memory, id, changed) {
    this.id = id;
    this.token = memory.token(id);
    this.#service = service;
    this.#memory = memory;
    this.#changed = changed;
    this.#live = new Live(service, this);
  }

  /** The latest version seen, in the view or in an event. */
  get version() {
    return Math.max(this.view?.version ?? 0, this.events.at(-1)?.version ?? 0);
  }

  /** The view with a play that is on its way. */
  get shown() {
    return this.#played === null ? this.view : withPlay(this.view, this.#played);
  }

  /** Whether this seat may act now, and nothing is under way. */
  get mine() {
    return this.busy === null && this.view !== null && this.view.legal_actions.length > 0;
  }

  get selection() {
    return this.view?.deal?.hand ? cardsAt(this.chosen, this.view.deal.hand) : [];
  }

  /** Read the game and follow it from now on. Throws Problem. */
  async open() {
    const { view, tag } = await this.#service.view(this.id, this.token);
    const events = await this.#service.history(this.id, this.token, Math.max(0, view.version - HISTORY));
    this.events = events.filter((event) => event.version <= view.version);
    this.#take(view, tag);
    if (view.phase !== "finished") this.#live.start();
  }

  follow() {
    if (this.view !== null && this.view.phase !== "finished") this.#live.start();
  }

  pauseFollowing() {
    this.#live.stop();
  }

  leave() {
    this.#live.stop();
    this.#changed = () => {};
  }

  // ------------------------------------------------------------------------------------- what comes in
  linked(state) {
    if (this.link === state) return;
    this.link = state;
    this.#changed();
  }

  /** A message of the stream. While an action of ours is under way it has to wait for the answer. */
  heard(message) {
    if (message.type === "presence" || message.type === "snapshot") {
      const before = this.presence ?? message.presence ?? [false, false];
      this.presence = message.presence ?? before.map((there, seat) => (seat === message.seat ? message.online : there));
      const { viewer } = this.view;
      if (viewer !== null && this.presence[1 - viewer]) this.#memory.keep(this.id, { met: true });
      this.#changed();
    }
    if (message.version === undefined) return;
    if (this.busy) this.#later.push(message);
    else this.#news(message);
  }

  /** A view from a long poll. */
  seen({ view }) {
    if (this.busy) this.#later.push(view);
    else if (view.version > this.view.version) this.refresh();
  }

  #news(message) {
    if (message.type !== "snapshot" && message.version === this.version + 1) this.events.push(message);
    if (message.version > (this.view?.version ?? 0)) this.refresh();
  }

  /** Read the view again, once for any number of reasons to; and the events that are missing. */
  refresh() {
    this.#again = true;
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = null;
    });
    return this.#refreshing;
  }

  async #refresh() {
    while (this.#again) {
      this.#again = false;
      try {
        const answer = await this.#service.view(this.id, this.token, this.#tag);
        if (answer === null || answer.view.version <= this.view.version) continue;
        const last = this.events.at(-1)?.version ?? 0;
        if (answer.view.version > last) this.#tell(await this.#service.history(this.id, this.token, last));
        if (!this.busy) this.#take(answer.view, answer.tag);
      } catch (problem) {
        this.refuse(problem);
      }
    }
  }

  #tell(events) {
    const last = this.events.at(-1)?.version ?? 0;
    this.events.push(...events.filter((event) => event.version > last));
  }

  #take(view, tag) {
    if (this.view !== null && view.version < this.view.version) return;
    const moved = view.version !== this.view?.version;
    this.view = view;
    this.#tag = tag;
    if (moved) {
      this.chosen = new Set();
      this.advice = null;
      if (view.viewer !== null) this.#memory.remember(view, this.events);
    }
    if (view.phase === "finished") this.#live.stop();
    if (computerIsDue(view) && this.token !== null) this.#nudge();
    else this.#tries = 0;
    this.#changed();
  }

  // ------------------------------------------------------------------------------------- choosing
  /** Choose a card of the hand, or no longer. Answers whether that was possible. */
  tap(place) {
    if (!this.mine || this.view.phase !== "play") return false;
    const next = tapped(this.view.deal.hand, this.chosen, place, this.view.legal_actions);
    if (next === null) return false;
    this.chosen = next;
    this.#changed();
    return true;
  }

  choose(cards) {
    this.chosen = placesOf(cards, this.view.deal.hand) ?? new Set();
    this.#changed();
  }

  // ------------------------------------------------------------------------------------- acting
  play(cards = this.selection) {
    const play = this.mine ? playOf(cards, this.view.legal_actions) : null;
    if (play === null) return undefined;
    this.#played = play.cards;
    return this.#act("play", (...at) => this.#service.play(...at, play.cards));
  }

  pass() {
    return this.#act("pass", (...at) => this.#service.pass(...at));
  }

  draw(source) {
    return this.#act("draw", (...at) => this.#service.draw(...at, source));
  }

  deal() {
    const seed = newKey();
    const number = this.view.next_deal?.number;
    return this.#act("deal", async (...at) => {
      const answer = await this.#service.deal(...at, seed);
      if (number !== undefined) this.#memory.keepDeal(this.id, number, { seed });
      return answer;
    });
  }

  resign() {
    return this.#act("resign", (...at) => this.#service.resign(...at));
  }

  claim() {
    return this.#act("claim", (...at) => this.#service.claim(...at));
  }

  /** Take the action that advice names. */
  take(action) {
    if (action.type === "play") return this.play(action.cards);
    return action.type === "pass" ? this.pass() : this.draw(action.source);
  }

  /** The next game's id, once it is there. */
  async rematch() {
    const created = await this.#while("rematch", () => this.#service.rematch(this.id, this.token, this.view.version));
    if (!created) return null;
    this.#memory.sit(created.game.id, created.tokens[0].token);
    return created.game.id;
  }

  async advise() {
    if (!this.mine) return;
    this.advice = await this.#while("advice", () => this.#service.advice(this.id, this.token, this.view.version));
    this.#changed();
  }

  forgive() {
    this.problem = null;
    this.#changed();
  }

  async #act(name, ask) {
    if (this.busy !== null) return;
    // long enough to see one's own cards on the table before the computer's
    const beat = this.#played !== null && this.view.seats.some((seat) => seat.kind === "ai") && !calm();
    const answer = await this.#while(name, async () => {
      const asked = ask(this.id, this.token, this.view.version);
      return (await Promise.all([asked, beat ? pause(BEAT_MS) : null]))[0];
    });
    this.#played = null;
    if (answer) {
      this.#tell(answer.events);
      this.#take(answer.game, null);
    } else {
      await this.refresh();
      if (computerIsDue(this.view)) this.#nudge();
    }
    this.#changed();
  }

  /** Do one thing at a time, and say what went wrong with it. */
  async #while(name, work) {
    if (this.busy !== null) return null;
    this.busy = name;
    this.problem = null;
    this.#changed();
    let answer = null;
    try {
      answer = await work();
    } catch (problem) {
      this.refuse(problem);
    }
    this.busy = null;
    const waited = this.#later.splice(0);
    if (waited.some((news) => news.version > (answer?.game?.version ?? this.version))) setTimeout(() => this.refresh());
    return answer;
  }

  /** Keep what went wrong, to be said. */
  refuse(problem) {
    if (!(problem instanceof Problem)) throw problem;
    this.problem = problem;
    this.#changed();
  }

  /** The computer has not moved by itself: ask it to, a few times, after a while. */
  async #nudge() {
    const { version } = this.view;
    await pause(COMPUTER_MS * (this.#tries + 1));
    if (this.view.version !== version || this.busy !== null || this.#tries >= COMPUTER_TRIES) return;
    this.#tries += 1;
    await this.nudge();
  }

  /** Ask the computer to take its due action. */
  nudge() {
    return this.#act("computer", (...at) => this.#service.computerMove(...at));
  }
}
