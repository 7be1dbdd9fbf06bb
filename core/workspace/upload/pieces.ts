// A request's body in pieces of a known length, each to be kept before the next is read.
import { Readable } from 'node:stream';

export interface Pieces {
  /** The next bytes, `most` at the most; undefined: the end. To be read before the next is asked for. */
  next(most: number): Promise<Readable | undefined>;
  /** The sender went away before the end. */
  isBroken(): boolean;
}

/** A body that breaks off ends where it broke: what came before it counts. The stream is not destroyed. */
export function piecesOf(body: Readable): Pieces {
  // It may break off before it is read; the reader then sees an end.
  body.on('error', () => undefined);
  const chunks = body.iterator({ destroyOnReturn: false });
  let rest: Buffer | undefined;
  let broken = false;
  const chunk = async (): Promise<Buffer | undefined> => {
    try {
      const { done, value } = await chunks.next();
      return done ? undefined : Buffer.from(value);
    } catch {
      broken = true;
      return undefined;
    }
  };
  async function* piece(first: Buffer, most: number): AsyncGenerator<Buffer> {
    let left = most;
    for (let bytes: Buffer | undefined = first; bytes !== undefined; bytes = left > 0 ? await chunk() : undefined) {
      rest = bytes.length > left ? bytes.subarray(left) : undefined;
      yield bytes.subarray(0, left);
      left -= Math.min(left, bytes.length);
    }
  }
  return {
    isBroken: () => broken,
    async next(most) {
      let first = rest ?? (await chunk());
      rest = undefined;
      while (first?.length === 0) first = await chunk();
      return first && Readable.from(piece(first, most));
    },
  };
}
