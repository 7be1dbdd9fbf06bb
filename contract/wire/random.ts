// Random numbers that every machine makes alike: xoshiro128** (Blackman and Vigna,
// https://prng.di.unimi.it/), its state filled by SplitMix64 as its authors advise. Only 32-bit integer
// operations.

const MASK = (1n << 64n) - 1n;

/** FNV-1a of the text in UTF-8: 0 to 2^32 - 1. An even spread, no secret. */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}

export class Random {
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  /** Of four words of 32 bits, not all zero. */
  constructor(state: readonly [number, number, number, number]) {
    [this.#a, this.#b, this.#c, this.#d] = state;
  }

  /** `stream`: another sequence of the same seed. */
  static of(seed: number, stream = 0): Random {
    let x = (BigInt(seed) + (BigInt(stream) << 32n)) & MASK;
    const next = (): bigint => {
      x = (x + 0x9e3779b97f4a7c15n) & MASK;
      let z = x;
      z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK;
      z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & MASK;
      return z ^ (z >> 31n);
    };
    const [first, second] = [next(), next()];
    return new Random([Number(first & 0xffffffffn), Number(first >> 32n), Number(second & 0xffffffffn), Number(second >> 32n)]);
  }

  /** Another sequence for each text: its hash is the seed. */
  static ofText(text: string): Random {
    return Random.of(fnv1a(text));
  }

  /** 0 to 2^32 - 1. */
  next(): number {
    const five = Math.imul(this.#b, 5);
    const result = Math.imul((five << 7) | (five >>> 25), 9) >>> 0;
    const shifted = this.#b << 9;
    this.#c ^= this.#a;
    this.#d ^= this.#b;
    this.#b ^= this.#c;
    this.#a ^= this.#d;
    this.#c ^= shifted;
    this.#d = (this.#d << 11) | (this.#d >>> 21);
    return result;
  }

  /** 0 to `bound` - 1, each as likely; `bound`: 1 to 2^32. */
  below(bound: number): number {
    const limit = 4_294_967_296 - (4_294_967_296 % bound);
    for (;;) {
      const value = this.next();
      if (value < limit) return value % bound;
    }
  }

  /** `low` to `high`, both possible. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  /** True `permille` times in a thousand. */
  chance(permille: number): boolean {
    return this.below(1000) < permille;
  }

  /** -`width` to `width`, near 0 most often: the sum of two dice. */
  near(width: number): number {
    return this.below(width + 1) + this.below(width + 1) - width;
  }

  /** Undefined: the list is empty. */
  pick<T>(list: readonly T[]): T | undefined {
    return list.length === 0 ? undefined : list[this.below(list.length)];
  }

  /** So many hexadecimal digits. */
  hex(digits: number): string {
    return Array.from({ length: digits }, () => this.below(16).toString(16)).join('');
  }

  /** The same items in another order. */
  shuffled<T>(list: readonly T[]): T[] {
    const left = [...list];
    return list.flatMap(() => left.splice(this.below(left.length), 1));
  }

  /** In place (Fisher and Yates). */
  shuffle(list: Int32Array): void {
    for (let at = list.length - 1; at > 0; at -= 1) {
      const other = this.below(at + 1);
      const item = list[at] ?? 0;
      list[at] = list[other] ?? 0;
      list[other] = item;
    }
  }
}
