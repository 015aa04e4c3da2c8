// Following a game: an EventSource with a ticket of its own each time, long polls where streams fail.

import { about, online, patience, pause } from "./api.js";

const STEADY_MS = 5000; // a stream that ends sooner has not worked
const BACK_MS = [300, 1000];
const FAILURES_UNTIL_POLLS = 2;
const POLLS = 4;
const POLL_SECONDS = 20;
const APART_MS = [1000, 15_000];
const GROWTH = 1.1; // so that what happens is seen after a tenth of the time it took to happen
const LOOK_MS = 250;

export class Live {
  #service;
  #game;
  #stop = null;
  #apart = 0;
  #polled = -1;

  /**
   * `game` answers {id, token, version} and hears of what comes: `heard(message)` of a stream's message,
   * `seen(view)` of a view, `linked(state)` of "live", "polling", "connecting" and "offline".
   */
  constructor(service, game) {
    this.#service = service;
    this.#game = game;
  }

  start() {
    this.stop();
    this.#stop = new AbortController();
    this.#follow(this.#stop.signal);
  }

  stop() {
    this.#stop?.abort();
    this.#stop = null;
  }

  async #follow(signal) {
    for (let failures = 0; !signal.aborted; ) {
      if (!navigator.onLine) this.#game.linked("offline");
      await online();
      if (signal.aborted) return;
      this.#game.linked("connecting");
      const ended = await this.#stream(signal);
      if (ended === "done" || signal.aborted) return;
      failures = ended === "worked" ? 0 : failures + 1;
      if (failures >= FAILURES_UNTIL_POLLS) await this.#poll(signal);
      await pause(about(BACK_MS[Math.min(failures, 1)]));
    }
  }

  /** Follow one stream to its end: "done" with the game, else "worked" or "failed". */
  async #stream(signal) {
    const { id, token, version } = this.#game;
    let address;
    try {
      address = await this.#service.stream(id, token, version);
    } catch {
      return "failed";
    }
    return new Promise((resolve) => {
      const source = new EventSource(address);
      let opened = Infinity;
      const end = (how) => {
        source.close();
        signal.removeEventListener("abort", abort);
        removeEventListener("offline", abort);
        resolve(how);
      };
      const abort = () => end("worked");
      signal.addEventListener("abort", abort);
      addEventListener("offline", abort);
      if (signal.aborted) abort();
      source.onopen = () => {
        opened = performance.now();
        this.#game.linked("live");
      };
      const cut = () => end(performance.now() - opened > STEADY_MS ? "worked" : "failed");
      // it would come back with the ticket it has used up
      source.onerror = cut;
      source.onmessage = ({ data }) => {
        const message = JSON.parse(data);
        if (message.type === "stream_ended") return cut();
        this.#game.heard(message);
        if (message.type === "game_ended" || message.game?.phase === "finished") end("done");
      };
    });
  }

  /** A few long polls, before a stream is tried again. They begin apart, for they are answered at once where none may wait. */
  async #poll(signal) {
    for (let polls = 0, failures = 0; polls < POLLS && !signal.aborted; polls += 1) {
      await online();
      const { id, token, version } = this.#game;
      this.#apart = version > this.#polled ? APART_MS[0] : Math.min(GROWTH * this.#apart, APART_MS[1]);
      this.#polled = version;
      const next = performance.now() + about(this.#apart);
      try {
        const view = await this.#service.awaited(id, token, version, POLL_SECONDS, signal);
        if (signal.aborted) return;
        failures = 0;
        this.#game.linked("polling");
        this.#game.seen(view);
        if (view.phase === "finished") return this.stop();
      } catch (problem) {
        if (signal.aborted) return;
        this.#game.linked("connecting");
        await pause(patience((failures += 1), problem));
      }
      // a move of one's own is soon answered
      while (performance.now() < next && this.#game.version === version && !signal.aborted) await pause(LOOK_MS);
    }
  }
}
