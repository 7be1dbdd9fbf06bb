// Reads exact numbers of bytes from a stream of chunks.
export interface Pieces {
  /**
   * Exactly that many bytes, or undefined when the stream ends before the first of them; throws when it ends
   * within.
   */
  take(length: number): Promise<Buffer | undefined>;
}

export function piecesOf(source: AsyncIterable<Uint8Array>): Pieces {
  const chunks = source[Symbol.asyncIterator]();
  let queue: Uint8Array[] = [];
  let bufferedBytes = 0;
  return {
    async take(length) {
      while (bufferedBytes < length) {
        const next = await chunks.next();
        if (next.done === true) {
          if (bufferedBytes === 0) return undefined;
          throw new Error('the stream ended within a record');
        }
        queue.push(next.value);
        bufferedBytes += next.value.length;
      }
      const all = Buffer.concat(queue);
      const rest = all.subarray(length);
      queue = rest.length === 0 ? [] : [rest];
      bufferedBytes = rest.length;
      return all.subarray(0, length);
    },
  };
}
