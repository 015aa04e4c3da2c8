// Reading a game again: once for any number of reasons to, and again and again until it has worked.

import { patience, Problem } from "./api.js";

const FINAL = new Set(["invalid_token", "unknown_game"]);

export class Reading {
  /** What stands in the way, as long as it does. */
  problem = null;

  #read;
  #changed;
  #wanted = false;
  #underway = null;
  #hurry = () => {};

  /** `changed` is called after each change of `problem`. */
  constructor(read, changed) {
    this.#read = read;
    this.#changed = changed;
  }

  /** Resolves once the game has been read, or never can be. */
  again() {
    this.#wanted = true;
    this.#hurry();
    this.#underway ??= this.#go();
    return this.#underway;
  }

  stop() {
    this.#read = () => {};
  }

  async #go() {
    try {
      for (let failures = 0; this.#wanted; ) {
        this.#wanted = false;
        const problem = await this.#attempt();
        if (problem !== this.problem) {
          this.problem = problem;
          this.#changed();
        }
        if (problem === null || FINAL.has(problem.code)) continue;
        this.#wanted = true;
        failures += 1;
        await new Promise((resolve) => {
          this.#hurry = resolve;
          setTimeout(resolve, patience(failures, problem));
        });
      }
    } finally {
      this.#underway = null;
    }
  }

  async #attempt() {
    try {
      await this.#read();
      return null;
    } catch (problem) {
      if (problem instanceof Problem) return problem;
      throw problem;
    }
  }
}
