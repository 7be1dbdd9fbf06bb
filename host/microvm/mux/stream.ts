// One stream of the channel as a Duplex: credit in both directions, so neither side buffers more than a
// window of it.
import { Duplex } from 'node:stream';
import { constants } from 'node:os';
import { frame, MAX_PAYLOAD, ProtocolError, WINDOW } from './frame.ts';
import { PendingBytes } from './pending-bytes.ts';

/** Pieces of this size are passed on as they are when a reader waits. */
const LARGE = 4_096;

export interface Sender {
  /** Queues one frame; `sent` is called once the channel has room for more. */
  send(type: number, id: number, payload?: Uint8Array, sent?: () => void): void;
  forget(id: number): void;
}

export function channelError(code: string, text: string): NodeJS.ErrnoException {
  return Object.assign(new Error(text), { code });
}

const nameOfErrno = new Map(Object.entries(constants.errno).map(([name, value]) => [value, name]));

export class GuestStream extends Duplex {
  readonly id: number;
  readonly service: string;
  #sender: Sender;
  #credit = WINDOW;
  #room = WINDOW;
  #owed = 0;
  #waiting: (() => void) | undefined;
  #guestDone = false;
  #hostDone = false;
  #held = new PendingBytes();
  /** The reader asked, and has not got anything since. */
  #wanted = false;

  constructor(sender: Sender, id: number, service: string) {
    // The reader takes one piece at a time; what comes meanwhile is held here.
    super({ readableHighWaterMark: 1, writableHighWaterMark: WINDOW / 4, emitClose: true });
    this.#sender = sender;
    this.id = id;
    this.service = service;
    this.on('error', () => undefined); // a guest may reset any stream at any time: that must never end the host
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    const step = (at: number): void => {
      if (this.destroyed) return;
      if (at >= chunk.length) return done();
      if (this.#credit === 0) {
        this.#waiting = () => step(at);
        return;
      }
      const piece = chunk.subarray(at, at + Math.min(MAX_PAYLOAD, this.#credit));
      this.#credit -= piece.length;
      this.#sender.send(frame.data, this.id, piece, () => step(at + piece.length));
    };
    step(0);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#hostDone = true;
    this.#sender.send(frame.fin, this.id);
    done();
  }

  override _read(): void {
    this.#wanted = true;
    this.deliver();
    this.#grant();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#sender.forget(this.id);
    if (!(this.#guestDone && this.#hostDone)) this.#sender.send(frame.rst, this.id, Buffer.from([constants.errno.ECONNRESET, 0, 0, 0]));
    this.#waiting = undefined;
    this.#held = new PendingBytes();
    done(error);
  }

  #grant(): void {
    if (this.#owed < WINDOW / 4 || this.destroyed) return;
    const credit = Buffer.alloc(4);
    credit.writeUInt32LE(this.#owed);
    this.#room += this.#owed;
    this.#owed = 0;
    this.#sender.send(frame.win, this.id, credit);
  }

  /**
   * Hands what is held to a reader who waits for it; to be called when all frames that came at once were
   * received.
   */
  deliver(): void {
    if (!this.#wanted || this.#held.empty || this.destroyed) return;
    this.#pass(this.#held.take());
    if (this.#guestDone) this.push(null);
  }

  #pass(bytes: Buffer): void {
    this.#owed += bytes.length;
    this.#wanted = this.push(bytes);
    if (this.#wanted) this.#grant();
  }

  /** A frame of the guest for this stream; throws ProtocolError when the guest breaks its promises. */
  receive(type: number, payload: Buffer): void {
    if (type === frame.data) {
      this.#room -= payload.length;
      if (this.#room < 0 || this.#guestDone) throw new ProtocolError('data beyond the window or the end of a stream');
      if (payload.length >= LARGE && this.#wanted && this.#held.empty) this.#pass(payload);
      else if (payload.length > 0 && !this.destroyed) this.#held.add(payload);
    } else if (type === frame.fin) {
      if (this.#guestDone) throw new ProtocolError('a stream ended twice');
      this.#guestDone = true;
      if (this.#held.empty) this.push(null);
    } else if (type === frame.win && payload.length === 4) {
      this.#credit += payload.readUInt32LE(0);
      if (this.#credit > WINDOW) throw new ProtocolError('more credit than the window');
      const next = this.#waiting;
      this.#waiting = undefined;
      next?.();
    } else if (type === frame.rst && payload.length === 4) {
      this.deliver();
      this.#guestDone = this.#hostDone = true; // nothing to answer
      const code = nameOfErrno.get(payload.readUInt32LE(0)) ?? 'ECONNRESET';
      this.destroy(channelError(code, code === 'ECONNREFUSED' ? `no program listens for '${this.service}' in the guest` : 'the guest reset the stream'));
    } else {
      throw new ProtocolError(`frame type ${type} on a stream`);
    }
  }

  /** The channel is gone for good: nothing to send any more. */
  lose(error: Error): void {
    this.#guestDone = this.#hostDone = true;
    this.destroy(error);
  }
}
