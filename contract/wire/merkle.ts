// Merkle trees as RFC 6962 has them: leaves and nodes are hashed with different first bytes, so that neither
// can pass for the other.

/** SHA-256, 32 bytes; at once where Node is, as a promise in browsers. */
export type Hash = (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>;

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

export async function leafHash(hash: Hash, data: Uint8Array): Promise<Uint8Array> {
  return hash(joined(LEAF, data));
}

async function nodeHash(hash: Hash, left: Uint8Array, right: Uint8Array): Promise<Uint8Array> {
  return hash(joined(NODE, left, right));
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** The root of leaves that come one by one; it keeps as many hashes as the tree is high. */
export class MerkleRoot {
  readonly #hash: Hash;
  readonly #full: { hash: Uint8Array; size: number }[] = [];
  size = 0;

  constructor(hash: Hash) {
    this.#hash = hash;
  }

  async add(data: Uint8Array): Promise<void> {
    let tree = { hash: await leafHash(this.#hash, data), size: 1 };
    for (let last = this.#full.at(-1); last?.size === tree.size; last = this.#full.at(-1)) {
      tree = { hash: await nodeHash(this.#hash, last.hash, tree.hash), size: tree.size * 2 };
      this.#full.pop();
    }
    this.#full.push(tree);
    this.size += 1;
  }

  async root(): Promise<Uint8Array> {
    const [last, ...before] = this.#full.toReversed();
    if (!last) return this.#hash(new Uint8Array());
    let root = last.hash;
    for (const { hash } of before) root = await nodeHash(this.#hash, hash, root);
    return root;
  }
}

/**
 * What proves that the leaf at `index` is in the tree of these leaf hashes: the hashes beside its way up,
 * lowest first.
 */
export async function inclusionPath(hash: Hash, leaves: readonly Uint8Array[], index: number): Promise<Uint8Array[]> {
  if (leaves.length <= 1) return [];
  const split = largestPowerBelow(leaves.length);
  const [left, right] = [leaves.slice(0, split), leaves.slice(split)];
  return index < split
    ? [...(await inclusionPath(hash, left, index)), await rootOf(hash, right)]
    : [...(await inclusionPath(hash, right, index - split)), await rootOf(hash, left)];
}

async function rootOf(hash: Hash, leaves: readonly Uint8Array[]): Promise<Uint8Array> {
  const [first] = leaves;
  if (leaves.length === 1 && first) return first;
  const split = largestPowerBelow(leaves.length);
  return nodeHash(hash, await rootOf(hash, leaves.slice(0, split)), await rootOf(hash, leaves.slice(split)));
}

/** The largest power of two below `n`, which is above one. */
function largestPowerBelow(n: number): number {
  let power = 1;
  while (power * 2 < n) power *= 2;
  return power;
}

/**
 * The root that the leaf's hash and the path lead to; undefined where the path does not fit a tree of this
 * size.
 */
export async function rootOfPath(
  hash: Hash,
  leaf: Uint8Array,
  of: { index: number; size: number; path: readonly Uint8Array[] },
): Promise<Uint8Array | undefined> {
  if (!Number.isSafeInteger(of.index) || of.index < 0 || of.index >= of.size) return undefined;
  let [at, last] = [of.index, of.size - 1];
  let root = leaf;
  for (const beside of of.path) {
    if (last === 0) return undefined;
    if (at % 2 === 1 || at === last) {
      root = await nodeHash(hash, beside, root);
      while (at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)];
    } else root = await nodeHash(hash, root, beside);
    [at, last] = [half(at), half(last)];
  }
  return last === 0 ? root : undefined;
}

const half = (n: number): number => Math.floor(n / 2);

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Undefined: these are not whole bytes in hexadecimal. */
export function fromHex(text: string): Uint8Array | undefined {
  if (!/^(?:[0-9a-f]{2})*$/.test(text)) return undefined;
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
