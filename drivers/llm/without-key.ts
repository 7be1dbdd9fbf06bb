// What an endpoint says, without the key that it was asked with: some repeat it in errors, also in the middle
// of a stream, and some write it otherwise there.
import { Masks } from '../outbound/masks.ts';

const INSTEAD = Buffer.from('[key]');

/** Local endpoints take any word as a key: shorter ones stand in answers for other reasons. */
const SHORTEST = 16;

/** Null: there is none that is hidden. */
export function hiddenKey(key: string | null): string | null {
  return key === null || key.length < SHORTEST ? null : key;
}

/** Of a key that comes in two pieces the first is held back until the second is there. */
export async function* withoutKey(body: AsyncIterable<Buffer>, key: string | null): AsyncGenerator<Buffer> {
  if (key === null || key.length < SHORTEST) return yield* body;
  const wanted = Buffer.from(key);
  let pendingBytes: Buffer = Buffer.alloc(0);
  for await (const chunk of body) {
    const bare = replaced(pendingBytes.length === 0 ? chunk : Buffer.concat([pendingBytes, chunk]), wanted);
    const end = bare.length - begunAtEnd(bare, wanted);
    pendingBytes = bare.subarray(end);
    if (end > 0) yield bare.subarray(0, end);
  }
  // As it is, however much of a key: who could see which beginnings are hidden would find the key letter by
  // letter.
  if (pendingBytes.length > 0) yield pendingBytes;
}

/** Of a whole text: in base64, hexadecimal and escaped, too. */
export function textWithoutKey(text: string, key: string | null): string {
  return key === null || key.length < SHORTEST ? text : masksOf(key).text(text.replaceAll(key, String(INSTEAD)));
}

/** Of an error: a short key goes too, since here nothing is meant but an error. */
export function errorWithoutKey(text: string, key: string | null): string {
  return textWithoutKey(key === null || key === '' ? text : text.replaceAll(key, String(INSTEAD)), key);
}

export function bytesWithoutKey(bytes: Buffer, key: string | null): Buffer {
  return key === null || key.length < SHORTEST ? bytes : Buffer.from(textWithoutKey(bytes.toString('latin1'), key), 'latin1');
}

/** They are made of the key in a while that adds up over the events of a stream. */
const known = new Map<string, Masks>();
const MOST_KNOWN = 100;

function masksOf(key: string): Masks {
  const cached = known.get(key);
  if (cached) return cached;
  if (known.size >= MOST_KNOWN) known.clear();
  const masks = new Masks([key]);
  known.set(key, masks);
  return masks;
}

function replaced(bytes: Buffer, wanted: Buffer): Buffer {
  const pieces: Buffer[] = [];
  let from = 0;
  for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, from)) {
    pieces.push(bytes.subarray(from, at), INSTEAD);
    from = at + wanted.length;
  }
  return from === 0 ? bytes : Buffer.concat([...pieces, bytes.subarray(from)]);
}

/** How many of the last bytes begin a key. */
function begunAtEnd(bytes: Buffer, wanted: Buffer): number {
  const [first = 0] = wanted;
  for (let at = bytes.indexOf(first, Math.max(0, bytes.length - wanted.length + 1)); at >= 0; at = bytes.indexOf(first, at + 1))
    if (bytes.subarray(at).equals(wanted.subarray(0, bytes.length - at))) return bytes.length - at;
  return 0;
}
