// The public API, and nothing but it. Every operation the table uses is here, once.

const ANSWER_MS = 40_000;
const RETRY_MS = [400, 1000, 2500, 5000];
const LONGEST_MS = 15_000;
const PASSING = new Set(["store_unavailable", "search_busy", "rate_limited", "not_ready"]);

/** A refusal, or that no answer came (`code` is then "unreachable"). */
export class Problem extends Error {
  constructor(body) {
    super(body.detail ?? body.title ?? body.code);
    this.code = body.code;
    this.body = body;
  }
}

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** About so many milliseconds, so that pages do not ask in step. */
export const about = (ms) => ms * (0.8 + 0.4 * Math.random());

/** How long to wait after so many failures in a row: longer each time, and at least as long as a refusal tells. */
export function patience(failures, problem) {
  const told = 1000 * Math.min(problem.body?.retryAfter ?? 0, 60);
  return Math.max(told, about(Math.min(500 * 2 ** failures, LONGEST_MS)));
}

/** Resolves once the browser believes that there is a network. */
export function online() {
  if (navigator.onLine) return Promise.resolve();
  return new Promise((resolve) => addEventListener("online", resolve, { once: true }));
}

/** A random UUID; the browser's own function exists on pages from https and this machine only. */
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 15) | 64;
  bytes[8] = (bytes[8] & 63) | 128;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

export class Service {
  #base;
  #ahead = 0;

  /** `home` is the service's address with a final slash. */
  constructor(home) {
    this.#base = new URL("v1", home).href;
  }

  /** The service's time in milliseconds, as well as its answers' dates tell it. */
  now() {
    return Date.now() + this.#ahead;
  }

  levels() {
    return this.#get("/levels");
  }

  create(settings) {
    return this.#post("/games", null, settings);
  }

  /** {view, tag}; null when the view is still the one with this tag. */
  async view(id, token, tag = null) {
    const answer = await this.#answered("GET", `/games/${id}`, { token, tag });
    return answer.body && { view: answer.body, tag: answer.tag };
  }

  /** The view once its version has passed this one, at the latest after some seconds, or at once where none may wait. */
  async awaited(id, token, version, seconds, signal) {
    return (await this.#once("GET", `/games/${id}?wait=${seconds}&version=${version}`, { token, signal })).body;
  }

  /** All events above a version. */
  async history(id, token, after) {
    const events = [];
    for (let next = after; next !== null; ) {
      const page = await this.#get(`/games/${id}/history?after=${next}&limit=500`, token);
      events.push(...page.events);
      next = page.next_after;
    }
    return events;
  }

  deal(id, token, version, seed) {
    return this.#post(`/games/${id}/deal`, token, { version, client_seed: seed });
  }

  play(id, token, version, cards) {
    return this.#post(`/games/${id}/play`, token, { version, cards });
  }

  pass(id, token, version) {
    return this.#post(`/games/${id}/pass`, token, { version });
  }

  draw(id, token, version, source) {
    return this.#post(`/games/${id}/draw-choice`, token, { version, source });
  }

  computerMove(id, token, version) {
    return this.#post(`/games/${id}/ai-move`, token, { version });
  }

  resign(id, token, version) {
    return this.#post(`/games/${id}/resign`, token, { version });
  }

  claim(id, token, version) {
    return this.#post(`/games/${id}/claim`, token, { version });
  }

  rematch(id, token, version) {
    return this.#post(`/games/${id}/rematch`, token, { version });
  }

  advice(id, token, version) {
    return this.#post(`/games/${id}/suggestions`, token, { version });
  }

  record(id, number) {
    return this.#get(`/games/${id}/deals/${number}`);
  }

  analysis(id, number) {
    return this.#get(`/games/${id}/deals/${number}/analysis`);
  }

  /** The address of a live stream; a seat's needs a ticket, which opens one stream. */
  async stream(id, token, after) {
    const query = new URLSearchParams({ after });
    if (token !== null) query.set("ticket", (await this.#once("POST", `/games/${id}/stream-ticket`, { token, body: {} })).body.ticket);
    return `${this.#base}/games/${id}/events?${query}`;
  }

  async #get(path, token = null) {
    return (await this.#answered("GET", path, { token })).body;
  }

  async #post(path, token, body) {
    return (await this.#answered("POST", path, { token, body })).body;
  }

  /** An answer, asked for again while that may help: always with the same key, so that nothing happens twice. */
  async #answered(method, path, { token = null, tag = null, body } = {}) {
    const key = newKey();
    for (let attempt = 0; ; attempt += 1) {
      await online();
      try {
        return await this.#once(method, path, { token, tag, body, key });
      } catch (problem) {
        const passing = problem.code === "unreachable" || PASSING.has(problem.code);
        if (!passing || attempt === RETRY_MS.length) throw problem;
        await pause(Math.max(RETRY_MS[attempt], 1000 * Math.min(problem.body.retryAfter ?? 0, 10)));
      }
    }
  }

  /** One request and its whole answer, {body, tag}; the body is null when it is still the one with this tag. Throws Problem. */
  async #once(method, path, { token = null, tag = null, body, key = newKey(), signal } = {}) {
    const headers = { Accept: "application/json" };
    if (token !== null) headers.Authorization = `Bearer ${token}`;
    if (tag !== null) headers["If-None-Match"] = tag;
    if (method === "POST") Object.assign(headers, { "Content-Type": "application/json", "Idempotency-Key": key });
    const late = new AbortController();
    const alarm = setTimeout(() => late.abort(), ANSWER_MS);
    signal?.addEventListener("abort", () => late.abort(), { once: true });
    try {
      const sent = { method, headers, body: body && JSON.stringify(body), signal: late.signal };
      const answer = await fetch(this.#base + path, sent);
      const date = Date.parse(answer.headers.get("Date") ?? "");
      if (Number.isFinite(date) && Math.abs(date - this.now()) > 1500) this.#ahead = date + 500 - Date.now();
      const text = await answer.text();
      if (answer.ok || answer.status === 304) return { body: answer.ok ? JSON.parse(text) : null, tag: answer.headers.get("ETag") };
      throw new Problem({ ...refusal(answer.status, text), retryAfter: Number(answer.headers.get("Retry-After")) || 0 });
    } catch (error) {
      // no answer, a part of one, or what something between us and the service has made up
      throw error instanceof Problem ? error : new Problem({ code: "unreachable" });
    } finally {
      clearTimeout(alarm);
    }
  }
}

function refusal(status, text) {
  try {
    const body = JSON.parse(text);
    if (typeof body.code === "string") return body;
  } catch {
    // something between us and the service has answered
  }
  return { code: status >= 500 ? "unreachable" : "unexpected" };
}
