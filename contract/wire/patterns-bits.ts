// The automaton of path patterns without its states: a bit for each position, all moved at once. A step takes the same time whatever was before it, so that
// patterns written to reach a new state with each character cost no more than others.
import type { Node } from './patterns-automaton.ts';

const SLASH = 0x2f;

export class PatternBits {
  readonly #words: number;
  readonly #starts: Uint32Array;
  /** Positions with a literal, by it. */
  readonly #literals = new Map<number, Uint32Array>();
  /** Left with any character but a slash: `?`, and the first of a segment that `**` passes over. */
  readonly #ones: Uint32Array;
  readonly #any: Uint32Array;
  readonly #skip: Uint32Array;
  /** Inside a segment that `**` passes over. */
  readonly #inside: Uint32Array;
  readonly #accepting: Uint32Array;

  constructor(nodes: readonly Node[], starts: readonly number[]) {
    this.#words = Math.ceil((nodes.length + 2) / 32);
    const of = (...kinds: Node['kind'][]): Uint32Array => this.#bitsOf(nodes.flatMap(({ kind }, at) => (kinds.includes(kind) ? [at] : [])));
    this.#ones = of('one', 'skip', 'rest');
    this.#any = of('any');
    this.#skip = of('skip');
    this.#inside = of('skipping', 'resting');
    this.#accepting = of('end', 'resting');
    for (const [at, node] of nodes.entries()) if (node.kind === 'literal') this.#mark(this.#placesOf(node.is), at);
    this.#starts = this.#bitsOf(starts);
    this.#close(this.#starts);
  }

  matches(path: string): boolean {
    let active = this.#starts;
    for (const character of path) {
      const next = this.#step(active, character.codePointAt(0) ?? 0);
      if (!next) return false;
      active = next;
    }
    return active.some((word, at) => (word & (this.#accepting[at] ?? 0)) !== 0);
  }

  /** Undefined: nothing is reached. */
  #step(active: Uint32Array, character: number): Uint32Array | undefined {
    const next = new Uint32Array(this.#words);
    const literals = this.#literals.get(character);
    const slash = character === SLASH;
    let carry = 0;
    let any = 0;
    for (let at = 0; at < this.#words; at += 1) {
      const here = active[at] ?? 0;
      const inside = here & (this.#inside[at] ?? 0);
      const moving = here & ((literals?.[at] ?? 0) | (slash ? 0 : (this.#ones[at] ?? 0)));
      const staying = slash ? (inside >>> 1) | (((active[at + 1] ?? 0) & (this.#inside[at + 1] ?? 0)) << 31) : inside | (here & (this.#any[at] ?? 0));
      const word = (moving << 1) | carry | staying;
      carry = moving >>> 31;
      next[at] = word;
      any |= word;
    }
    if (any === 0) return undefined;
    this.#close(next);
    return next;
  }

  /** With what is reached without a character: `*` and `**` may stand for nothing. Twice, since `*` may follow `**`. */
  #close(bits: Uint32Array): void {
    for (let times = 0; times < 2; times += 1) {
      let carry = 0;
      for (let at = 0; at < this.#words; at += 1) {
        const here = bits[at] ?? 0;
        const any = here & (this.#any[at] ?? 0);
        const skip = here & (this.#skip[at] ?? 0);
        bits[at] = here | (any << 1) | (skip << 2) | carry;
        carry = (any >>> 31) | (skip >>> 30);
      }
    }
  }

  #placesOf(character: number): Uint32Array {
    const known = this.#literals.get(character);
    if (known) return known;
    const places = new Uint32Array(this.#words);
    this.#literals.set(character, places);
    return places;
  }

  #bitsOf(positions: readonly number[]): Uint32Array {
    const bits = new Uint32Array(this.#words);
    for (const at of positions) this.#mark(bits, at);
    return bits;
  }

  #mark(bits: Uint32Array, at: number): void {
    bits[at >>> 5] = (bits[at >>> 5] ?? 0) | (1 << (at & 31));
  }
}
