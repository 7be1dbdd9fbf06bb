// As much of PostgreSQL's protocol (version 3) as the gate must read: the packets before a session, and the
// key by which it is cancelled.
import type { Duplex } from 'node:stream';

/** PostgreSQL's own bound of a start packet. */
const MAX_PACKET = 10_000;

/** Packets without a type: length, then that many bytes, itself included. */
export class PacketReader {
  #bytes: Buffer = Buffer.alloc(0);
  readonly #stream: Duplex;
  readonly #withinMs: number;

  constructor(stream: Duplex, withinMs: number) {
    this.#stream = stream;
    this.#withinMs = withinMs;
  }

  /** @throws when it is too long, does not come in time, or the stream ends */
  async next(): Promise<Buffer> {
    const deadline = setTimeout(() => this.#stream.destroy(), this.#withinMs);
    try {
      for (;;) {
        const length = this.#bytes.length >= 4 ? this.#bytes.readInt32BE(0) : 8;
        if (length < 8 || length > MAX_PACKET) throw new Error('no packet of PostgreSQL');
        if (this.#bytes.length >= length) {
          const packet = this.#bytes.subarray(0, length);
          this.#bytes = this.#bytes.subarray(length);
          return packet;
        }
        this.#bytes = Buffer.concat([this.#bytes, await this.#more()]);
      }
    } finally {
      clearTimeout(deadline);
    }
  }

  /** What came after the last packet. */
  rest(): Buffer {
    return this.#bytes;
  }

  #more(): Promise<Buffer> {
    const stream = this.#stream;
    return new Promise((resolve, reject) => {
      const settle = (done: () => void): void => {
        stream.off('readable', look).off('end', gone).off('close', gone);
        done();
      };
      const look = (): void => {
        const chunk: unknown = stream.read();
        if (Buffer.isBuffer(chunk)) settle(() => resolve(chunk));
      };
      const gone = (): void => settle(() => reject(new Error('the stream ended')));
      stream.on('readable', look).once('end', gone).once('close', gone);
      look();
    });
  }
}

/** Of a start packet: names and values, each ended by a zero. */
export function parametersOf(packet: Buffer): Record<string, string> {
  const words = packet.subarray(8).toString('utf8').split('\0');
  const parameters: Record<string, string> = {};
  for (let at = 0; at + 1 < words.length && words[at] !== ''; at += 2) {
    const name = words[at] ?? '';
    // The server would take the last; who names one twice means to be read in two ways.
    if (Object.hasOwn(parameters, name)) return {};
    Object.defineProperty(parameters, name, { value: words[at + 1] ?? '', enumerable: true });
  }
  return parameters;
}

/** An ErrorResponse that ends the connection. */
export function refusal(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

/** Reads along until the session is ready: BackendKeyData is what a cancellation must say. */
export class ServerMessages {
  #bytes: Buffer = Buffer.alloc(0);
  #over = false;
  readonly #onKey: (hex: string) => void;

  constructor(onKey: (hex: string) => void) {
    this.#onKey = onKey;
  }

  push(chunk: Buffer): void {
    if (this.#over) return;
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    while (this.#bytes.length >= 5) {
      const type = String.fromCharCode(this.#bytes[0] ?? 0);
      const length = this.#bytes.readInt32BE(1);
      if (type === 'Z' || length < 4 || length > 65_536) return this.#end();
      if (this.#bytes.length < length + 1) return;
      if (type === 'K') this.#onKey(this.#bytes.subarray(5, length + 1).toString('hex'));
      this.#bytes = this.#bytes.subarray(length + 1);
    }
  }

  #end(): void {
    this.#over = true;
    this.#bytes = Buffer.alloc(0);
  }
}
