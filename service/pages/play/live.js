// Following a game: an EventSource with a ticket of its own each time, long polls where streams fail.

import { online, pause } from "./api.js";

const BACK_MS = [300, 1000, 2000, 4000, 8000, 15_000];
const FAILURES_UNTIL_POLLS = 2;
const POLLS = 4;
const POLL_SECONDS = 20;

export class Live {
  #service;
  #game;
  #stop = null;

  /**
   * `game` answers {id, token, version} and hears of what comes: `heard(message)` of a stream's message,
   * `seen({view, tag})` of a view, `linked(state)` of "live", "polling", "connecting" and "offline".
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
      else await pause(BACK_MS[failures]);
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
      let worked = false;
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
        worked = true;
        this.#game.linked("live");
      };
      // it would come back with the ticket it has used up
      source.onerror = () => end(worked ? "worked" : "failed");
      source.onmessage = ({ data }) => {
        const message = JSON.parse(data);
        if (message.type === "stream_ended") return end("worked");
        this.#game.heard(message);
        if (message.type === "game_ended" || message.game?.phase === "finished") end("done");
      };
    });
  }

  /** A few long polls, before a stream is tried again. */
  async #poll(signal) {
    for (let polls = 0, failures = 0; polls < POLLS && !signal.aborted; polls += 1) {
      await online();
      const { id, token, version } = this.#game;
      try {
        const seen = await this.#service.awaited(id, token, version, POLL_SECONDS, signal);
        if (signal.aborted) return;
        failures = 0;
        this.#game.linked("polling");
        this.#game.seen(seen);
        if (seen.view.phase === "finished") return this.stop();
      } catch {
        if (signal.aborted) return;
        this.#game.linked("connecting");
        await pause(BACK_MS[Math.min((failures += 1), BACK_MS.length - 1)]);
      }
    }
  }
}
