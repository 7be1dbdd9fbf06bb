// Frames of the channel: 12-byte header {type u8, "SVC", stream id u32, length u32}, little endian, then at
// most 32 KiB. The reader faces a hostile guest: whatever it is given, it holds at most one frame and throws
// ProtocolError on nonsense.

const HEADER = 12;
export const MAX_PAYLOAD = 32 * 1024;
/** Bytes a sender may have under way on one stream before the receiver grants more. */
export const WINDOW = 256 * 1024;

export const frame = {
  open: 1,
  data: 2,
  fin: 3,
  rst: 4,
  win: 5,
  ping: 6,
  pong: 7,
  control: 8,
  reply: 9,
  hello: 10,
  welcome: 11,
  listen: 12,
} as const;

export interface Frame {
  type: number;
  id: number;
  payload: Buffer;
}

export class ProtocolError extends Error {
  override name = 'ProtocolError';
}

const MARK = Buffer.from('svc-channel-v1\r\n');
const EMPTY = Buffer.alloc(0);

function header(type: number, id: number, length: number): Buffer {
  const head = Buffer.allocUnsafe(HEADER);
  head.writeUInt8(type, 0);
  head.write('SVC', 1, 'latin1');
  head.writeUInt32LE(id, 4);
  head.writeUInt32LE(length, 8);
  return head;
}

export const encode = (type: number, id: number, payload: Uint8Array = EMPTY): Buffer => Buffer.concat([header(type, id, payload.length), payload]);

/**
 * First words of a host that takes the channel over: ends a half-received frame, then names itself by a
 * nonce.
 */
export const hello = (nonce: Uint8Array, preamble: boolean): Buffer =>
  Buffer.concat([Buffer.alloc(preamble ? HEADER + MAX_PAYLOAD : 0), encode(frame.hello, 0, Buffer.concat([MARK, nonce]))]);

export class FrameReader {
  #rest: Buffer = EMPTY;
  #awaited: Buffer | undefined;

  /**
   * With a nonce, everything up to the guest's welcome of that nonce is skipped: it was meant for an earlier
   * host.
   */
  constructor(nonce?: Uint8Array) {
    if (nonce !== undefined) this.#awaited = encode(frame.welcome, 0, Buffer.concat([MARK, nonce]));
  }

  get welcomed(): boolean {
    return this.#awaited === undefined;
  }

  /** Payloads are views into the chunks given. */
  push(chunk: Buffer): Frame[] {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    if (this.#awaited !== undefined) {
      const at = bytes.indexOf(this.#awaited);
      if (at < 0) {
        this.#rest = Buffer.from(bytes.subarray(Math.max(0, bytes.length - this.#awaited.length + 1)));
        return [];
      }
      bytes = bytes.subarray(at + this.#awaited.length);
      this.#awaited = undefined;
    }
    const frames: Frame[] = [];
    let at = 0;
    while (bytes.length - at >= HEADER) {
      const length = bytes.readUInt32LE(at + 8);
      if (bytes.readUIntLE(at + 1, 3) !== 0x435653) throw new ProtocolError('frame without its mark');
      if (length > MAX_PAYLOAD) throw new ProtocolError(`frame of ${length} bytes`);
      if (bytes.length - at < HEADER + length) break;
      frames.push({ type: bytes.readUInt8(at), id: bytes.readUInt32LE(at + 4), payload: bytes.subarray(at + HEADER, at + HEADER + length) });
      at += HEADER + length;
    }
    this.#rest = at === bytes.length ? EMPTY : bytes.subarray(at);
    return frames;
  }
}
