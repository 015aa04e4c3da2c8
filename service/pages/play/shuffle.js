// The fair shuffle, computed again from a deal's record: algorithm hmac-sha256-fisher-yates-1.

import { COPIES, EDITIONS } from "./cards.js";
import { hmac as ownHmac, joined, sha256 as ownSha256 } from "./sha256.js";

export const ALGORITHM = "hmac-sha256-fisher-yates-1";
const WORDS = 2 ** 32;

/** The bytes of a hexadecimal text. */
export function bytesOf(hex) {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** Bytes as hexadecimal text. */
export function hexOf(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** SHA-256 and HMAC-SHA-256: the browser's where it offers them, else our own. */
function primitives() {
  const subtle = globalThis.crypto?.subtle;
  if (!subtle) return { sha256: async (data) => ownSha256(data), keyed: async (key) => async (data) => ownHmac(key, data) };
  return {
    sha256: async (data) => new Uint8Array(await subtle.digest("SHA-256", data)),
    keyed: async (key) => {
      const imported = await subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
      return async (data) => new Uint8Array(await subtle.sign("HMAC", imported, data));
    },
  };
}

/** What a secret seed is promised by: its SHA-256 in hex. */
export async function commitmentOf(seed) {
  return hexOf(await primitives().sha256(seed));
}

/** The deck, top first, that a seed and a client seed give in an edition. */
export async function deckOf(seed, clientSeed, edition) {
  const mac = await primitives().keyed(seed);
  const suffix = new TextEncoder().encode(clientSeed);
  const deck = EDITIONS[edition].flatMap((label) => Array(COPIES).fill(label));
  let words = [];
  let counter = 0;
  for (let k = deck.length - 1; k > 0; k -= 1) {
    const limit = WORDS - (WORDS % (k + 1));
    let word;
    do {
      if (words.length === 0) {
        const message = new DataView(new ArrayBuffer(8));
        message.setUint32(4, counter);
        counter += 1;
        const digest = new DataView((await mac(joined(new Uint8Array(message.buffer), suffix))).buffer);
        words = Array.from({ length: 8 }, (_, index) => digest.getUint32(4 * index));
      }
      word = words.shift();
    } while (word >= limit);
    const j = word % (k + 1);
    [deck[k], deck[j]] = [deck[j], deck[k]];
  }
  return deck;
}

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/**
 * Everything that can be checked of a deal's shuffle: a list of {name, holds}. `kept` is what this browser remembers
 * of the deal (promised: the commitment seen before it, seed: the client seed it gave, hand: what it was dealt,
 * seat: where it sat); what it does not remember is not checked.
 */
export async function checks(record, kept = {}) {
  const seed = bytesOf(record.seed);
  const found = [
    { name: "algorithm", holds: record.algorithm === ALGORITHM },
    { name: "commitment", holds: seed.length === 32 && (await commitmentOf(seed)) === record.commitment },
    { name: "deck", holds: same(await deckOf(seed, record.client_seed, record.rules.edition), record.deck) },
  ];
  if (kept.promised) found.push({ name: "promise", holds: kept.promised === record.commitment });
  if (kept.seed) found.push({ name: "seed", holds: kept.seed === record.client_seed });
  if (kept.hand) {
    const dealt = record.deck.slice(12 * kept.seat, 12 * kept.seat + 12).sort();
    found.push({ name: "hand", holds: same(dealt, [...kept.hand].sort()) });
  }
  return found;
}
