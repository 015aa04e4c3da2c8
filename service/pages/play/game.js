// One game as this page knows it: the view, the events, what is chosen, and what is under way. It shows nothing itself.

import { newKey, pause, Problem } from "./api.js";
import { placesOf } from "./cards.js";
import { calm } from "./dom.js";
import { cardsAt, computerIsDue, playOf, tapped, withPlay } from "./legal.js";
import { Live } from "./live.js";
import { Reading } from "./reading.js";

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

  #service;
  #memory;
  #changed;
  #live;
  #reading;
  #refused = null;
  #tag = null;
  #played = null;
  #latest = 0;
  #tries = 0;

  /** `changed` is called after each change of anything that can be seen. */
  constructor(service, memory, id, changed) {
    this.id = id;
    this.token = memory.token(id);
    this.#service = service;
    this.#memory = memory;
    this.#changed = changed;
    this.#live = new Live(service, this);
    this.#reading = new Reading(() => this.#read(), () => this.#changed());
  }

  /** The view's version: what comes after it is still to be read, whatever has been heard of it. */
  get version() {
    return this.view?.version ?? 0;
  }

  /** What went wrong last, to be said. */
  get problem() {
    return this.#refused ?? this.#reading.problem;
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
    this.#reading.stop();
    this.#changed = () => {};
  }

  // ------------------------------------------------------------------------------------- what comes in
  linked(state) {
    if (this.link === state) return;
    this.link = state;
    this.#changed();
  }

  /** A message of the stream. While an action of ours is under way its answer tells the same, and more. */
  heard(message) {
    if (message.type === "presence" || message.type === "snapshot") {
      const before = this.presence ?? message.presence ?? [false, false];
      this.presence = message.presence ?? before.map((there, seat) => (seat === message.seat ? message.online : there));
      const { viewer } = this.view;
      if (viewer !== null && this.presence[1 - viewer]) this.#memory.keep(this.id, { met: true });
      this.#changed();
    }
    if (message.version === undefined) return;
    const next = 1 + Math.max(this.version, this.events.at(-1)?.version ?? 0);
    if (this.busy === null && message.type !== "snapshot" && message.version === next) this.events.push(message);
    this.seen(message);
  }

  /** A version there is, in a message of the stream or a view from a long poll. */
  seen({ version }) {
    this.#latest = Math.max(this.#latest, version);
    this.#catchUp();
  }

  #catchUp() {
    if (this.busy === null && this.#latest > this.version) this.#reading.again();
  }

  /** Read the view again, and the events that are missing. */
  async #read() {
    const answer = await this.#service.view(this.id, this.token, this.#tag);
    if (answer === null || answer.view.version <= this.version) return;
    const last = this.events.at(-1)?.version ?? 0;
    if (answer.view.version > last) this.#tell(await this.#service.history(this.id, this.token, last));
    if (this.busy === null) this.#take(answer.view, answer.tag);
    else this.seen(answer.view);
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
    this.#refused = this.#reading.problem = null;
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
    if (answer) {
      this.#tell(answer.events);
      this.#take(answer.game, null);
    } else {
      await this.#reading.again();
      if (computerIsDue(this.view)) this.#nudge();
    }
    this.#changed();
  }

  /** Do one thing at a time, and say what went wrong with it. */
  async #while(name, work) {
    if (this.busy !== null) return null;
    this.busy = name;
    this.#refused = null;
    this.#changed();
    try {
      return await work().finally(() => this.#idle());
    } catch (problem) {
      this.refuse(problem);
      return null;
    }
  }

  #idle() {
    this.busy = null;
    this.#played = null;
    setTimeout(() => this.#catchUp()); // once the answer has been taken
  }

  /** Keep what went wrong, to be said; what is no Problem is a mistake of this page. */
  refuse(problem) {
    this.#refused = problem instanceof Problem ? problem : new Problem({ code: "unexpected" });
    this.#changed();
    if (problem !== this.#refused) throw problem;
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
