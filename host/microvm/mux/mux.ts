// The host's end of the channel. Its streams survive the socket: a suspended machine's streams continue
// through its next process.
import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { encode, frame, FrameReader, hello, ProtocolError } from './frame.ts';
import { channelError, GuestStream, type Sender } from './stream.ts';

const GUEST_STREAMS = 512;
const QUEUED_FRAMES = 16_384;

interface Queued {
  bytes: Buffer;
  sent: (() => void) | undefined;
}

export class Mux implements Sender {
  #streams = new Map<number, GuestStream>();
  #handlers = new Map<string, (stream: Duplex) => void>();
  #pending = new Map<number, (value: number) => void>();
  #queue: Queued[] = [];
  #socket: Duplex | undefined;
  #reader = new FrameReader();
  #welcome: (() => void) | undefined;
  #held = false;
  #choked = false;
  #nextId = 2;
  #nextSequence = 1;
  #guestStreams = 0;
  #onViolation: (error: Error) => void;

  /** `onViolation` is called once the guest breaks the protocol; the socket is closed by then. */
  constructor(onViolation: (error: Error) => void) {
    this.#onViolation = onViolation;
  }

  /** Goes on with the streams as they are (a machine that this object suspended). */
  resumeOn(socket: Duplex): void {
    this.#connect(socket);
    this.#flush();
  }

  /**
   * Takes over a channel whose past is unknown: earlier streams are lost on both sides. Resolves when the
   * guest answered.
   */
  takeOver(socket: Duplex, options: { preamble: boolean }): Promise<void> {
    const nonce = randomBytes(8);
    this.loseStreams('the channel was taken over');
    this.#reader = new FrameReader(nonce);
    this.#held = false;
    this.#queue = [{ bytes: hello(nonce, options.preamble), sent: undefined }];
    for (const service of this.#handlers.keys()) this.send(frame.listen, 0, Buffer.from(service));
    const welcomed = new Promise<void>((resolve) => (this.#welcome = resolve));
    this.#connect(socket);
    this.#flush();
    return welcomed;
  }

  #connect(socket: Duplex): void {
    this.#socket = socket;
    this.#choked = false;
    socket.on('data', (chunk: Buffer) => this.#receive(socket, chunk));
    socket.on('drain', () => {
      if (this.#socket !== socket) return;
      this.#choked = false;
      this.#flush();
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      if (this.#socket === socket) this.#socket = undefined;
    });
  }

  /** From now on nothing is sent but pings and control requests; everything else waits. */
  hold(): void {
    this.#held = true;
  }

  /** Lets waiting frames go. */
  release(): void {
    this.#held = false;
    this.#flush();
  }

  get openStreams(): number {
    return this.#streams.size;
  }

  open(service: string): GuestStream {
    do this.#nextId = this.#nextId >= 0xffff_fffe ? 2 : this.#nextId + 2;
    while (this.#streams.has(this.#nextId));
    const stream = new GuestStream(this, this.#nextId, service);
    this.#streams.set(stream.id, stream);
    this.send(frame.open, stream.id, Buffer.from(service));
    return stream;
  }

  serve(service: string, handler: (stream: Duplex) => void): void {
    this.#handlers.set(service, handler);
    this.send(frame.listen, 0, Buffer.from(service));
  }

  /** Resolves when the guest has read everything sent before. Goes out even while held. */
  ping(): Promise<number> {
    return this.#ask(frame.ping, undefined);
  }

  /**
   * Asks the guest's first process; answers its error number (0 = done). Goes out even while held, before
   * what waits.
   */
  control(payload: Uint8Array): Promise<number> {
    return this.#ask(frame.control, payload);
  }

  /** For what needs no answer; in order with what streams sent before. */
  tell(payload: Uint8Array): void {
    this.send(frame.control, 0, payload);
  }

  #ask(type: number, payload: Uint8Array | undefined): Promise<number> {
    const sequence = this.#nextSequence;
    this.#nextSequence = sequence >= 0xffff_ffff ? 1 : sequence + 1;
    return new Promise((resolve) => {
      this.#pending.set(sequence, (value) => {
        this.#pending.delete(sequence);
        resolve(value);
      });
      this.#urgent(type, sequence, payload);
    });
  }

  #urgent(type: number, id: number, payload: Uint8Array | undefined): void {
    this.#socket?.write(encode(type, id, payload));
  }

  send(type: number, id: number, payload?: Uint8Array, sent?: () => void): void {
    this.#queue.push({ bytes: encode(type, id, payload), sent });
    if (this.#queue.length > QUEUED_FRAMES) this.#violate(new ProtocolError('the guest does not read'));
    else this.#flush();
  }

  forget(id: number): void {
    if (this.#streams.delete(id) && id % 2 === 1) this.#guestStreams--;
  }

  #flush(): void {
    const socket = this.#socket;
    if (socket === undefined || this.#held || this.#choked || this.#queue.length === 0) return;
    const batch = this.#queue;
    this.#queue = [];
    const [first] = batch;
    const bytes = batch.length === 1 && first !== undefined ? first.bytes : Buffer.concat(batch.map((queued) => queued.bytes));
    this.#choked = !socket.write(bytes);
    for (const { sent } of batch) sent?.();
  }

  #receive(socket: Duplex, chunk: Buffer): void {
    if (this.#socket !== socket && this.#socket !== undefined) return; // an earlier process's socket
    try {
      const before = this.#reader.welcomed;
      const frames = this.#reader.push(chunk);
      if (!before && this.#reader.welcomed) this.#welcome?.();
      const received = new Set<GuestStream>();
      for (const { type, id, payload } of frames) {
        this.#handle(type, id, payload);
        const stream = type === frame.data ? this.#streams.get(id) : undefined;
        if (stream !== undefined) received.add(stream);
      }
      for (const stream of received) stream.deliver();
    } catch (error) {
      this.#violate(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #handle(type: number, id: number, payload: Buffer): void {
    if (type === frame.pong) return this.#pending.get(id)?.(0);
    if (type === frame.reply && payload.length === 4) return this.#pending.get(id)?.(payload.readUInt32LE(0));
    if (type === frame.ping) return this.send(frame.pong, id);
    if (type === frame.open) return this.#accept(id, payload);
    if (type < frame.data || type > frame.win) throw new ProtocolError(`unknown frame type ${type}`);
    this.#streams.get(id)?.receive(type, payload); // frames of a stream we closed may still be under way
  }

  #accept(id: number, payload: Buffer): void {
    if (id % 2 === 0 || payload.length > 32 || this.#streams.has(id)) throw new ProtocolError('bad stream opened');
    const service = payload.toString('latin1');
    const handler = this.#handlers.get(service);
    const refuse = (code: number) => this.send(frame.rst, id, Buffer.from([code, 0, 0, 0]));
    if (handler === undefined) return refuse(111);
    if (this.#guestStreams >= GUEST_STREAMS) return refuse(24);
    const stream = new GuestStream(this, id, service);
    this.#streams.set(id, stream);
    this.#guestStreams++;
    handler(stream);
  }

  /** Ends every stream with ECONNRESET. */
  loseStreams(reason: string): void {
    for (const stream of this.#streams.values()) stream.lose(channelError('ECONNRESET', reason));
    this.#streams.clear();
    this.#guestStreams = 0;
    this.#pending.clear();
    this.#queue = [];
  }

  #violate(error: Error): void {
    const socket = this.#socket;
    this.#socket = undefined;
    if (socket === undefined) return;
    socket.destroy();
    this.#onViolation(error);
  }
}
