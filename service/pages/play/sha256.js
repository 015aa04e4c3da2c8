// SHA-256 and HMAC (FIPS 180-4, RFC 2104). Browsers offer theirs to pages from https and this machine only; a phone in
// the same house that opens the table by plain http gets these, and the same results.

const ROUNDS = 64;
const BLOCK = 64;

function primes(count) {
  const found = [];
  for (let n = 2; found.length < count; n += 1) if (found.every((prime) => n % prime)) found.push(n);
  return found;
}

const fraction = (x) => ((x - Math.floor(x)) * 2 ** 32) >>> 0;
const START = Uint32Array.from(primes(8), (prime) => fraction(Math.sqrt(prime)));
const KEYS = Uint32Array.from(primes(ROUNDS), (prime) => fraction(Math.cbrt(prime)));
const turn = (x, n) => (x >>> n) | (x << (32 - n));

function compress(state, block) {
  const w = new Uint32Array(ROUNDS);
  for (let i = 0; i < 16; i += 1) w[i] = block.getUint32(4 * i);
  for (let i = 16; i < ROUNDS; i += 1) {
    const s0 = turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ (w[i - 15] >>> 3);
    const s1 = turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ (w[i - 2] >>> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let i = 0; i < ROUNDS; i += 1) {
    const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + KEYS[i] + w[i]) | 0;
    const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => {
    state[i] += word;
  });
}

/** SHA-256 of some bytes. */
export function sha256(bytes) {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / BLOCK) * BLOCK);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, bytes.length << 3);
  const state = START.slice();
  for (let at = 0; at < padded.length; at += BLOCK) compress(state, new DataView(padded.buffer, at, BLOCK));
  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((word, i) => digest.setUint32(4 * i, word));
  return new Uint8Array(digest.buffer);
}

/** HMAC-SHA-256. */
export function hmac(key, message) {
  const block = new Uint8Array(BLOCK);
  block.set(key.length > BLOCK ? sha256(key) : key);
  const inner = sha256(joined(block.map((byte) => byte ^ 0x36), message));
  return sha256(joined(block.map((byte) => byte ^ 0x5c), inner));
}

/** Some bytes and then others. */
export function joined(one, other) {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}
