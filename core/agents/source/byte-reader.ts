/** Reads a stream of buffers in exact portions. */
export class ByteReader {
  readonly #source: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** The next `length` bytes; fewer only at the end. */
  async read(length: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    let have = 0;
    for await (const piece of this.stream(length)) {
      pieces.push(piece);
      have += piece.length;
    }
    return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces, have);
  }

  /** The next `length` bytes as they come; fewer only at the end. */
  async *stream(length: number): AsyncGenerator<Buffer> {
    let left = length;
    while (left > 0 && (await this.#fill())) {
      const piece = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }

  async #fill(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const next = await this.#source.next();
      if (next.done === true) return false;
      this.#rest = next.value;
    }
    return true;
  }
}
