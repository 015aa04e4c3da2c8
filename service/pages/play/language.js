// The language that the page speaks: the reader's, where texts.js has it.

import { LANGUAGES } from "./texts.js";

const USUAL = "en";
const wished = (globalThis.navigator?.languages ?? []).map((tag) => tag.toLowerCase());
const spoken = wished.flatMap((tag) => [tag, tag.split("-")[0]]).find((tag) => tag in LANGUAGES) ?? USUAL;

/** The text of a key, filled in; null when there is none. */
export function t(key, values = {}) {
  const text = LANGUAGES[spoken][key] ?? LANGUAGES[USUAL][key];
  if (text === undefined) return null;
  if (typeof text === "function") return text(values);
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}
