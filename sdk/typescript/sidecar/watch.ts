// The second connection to a worker, which a thread there answers: whether its loop turns, what blocks it,
// and whether a call has begun.
import type { Socket } from 'node:net';
import { FromWatch, WATCH_PROTOCOL, type LoopState, type ToWatch } from '../../../contract/wire/watch.ts';
import { connectTo, type WorkerAddress } from './connect.ts';
import { lineReader } from './lines.ts';

/** The thread answers at once, unless code that keeps the interpreter's lock keeps it from running. */
const ANSWER_MS = 2_000;
type Ask = ToWatch extends infer Frame ? (Frame extends ToWatch ? Omit<Frame, 'id'> : never) : never;

export class Watch {
  readonly #socket: Socket;
  readonly #asked = new Map<number, (answer: FromWatch | undefined) => void>();
  #nextId = 1;

  private constructor(socket: Socket, head: Buffer) {
    this.#socket = socket;
    const feed = lineReader((line) => this.#take(line));
    socket.on('data', (chunk: Buffer) => {
      try {
        feed(chunk);
      } catch {
        this.close();
      }
    });
    socket.on('error', () => this.close());
    socket.on('close', () => this.close());
    if (head.length > 0) feed(head);
  }

  /** `name`: as the worker's hello says. @throws Error when it has no such connection */
  static async open(address: WorkerAddress, name: string): Promise<Watch> {
    const { socket, head } = await connectTo(address, `/watch?of=${encodeURIComponent(name)}`, WATCH_PROTOCOL);
    return new Watch(socket, head);
  }

  /** Undefined: no answer in time. `stack`: also where the loop is. */
  async look({ stack = false } = {}): Promise<LoopState | undefined> {
    const answer = await this.#ask({ t: 'look', stack });
    return answer?.t === 'state' ? answer : undefined;
  }

  /** True: the run has not begun in the worker, and never does. */
  async take(run: number): Promise<boolean> {
    const answer = await this.#ask({ t: 'take', run }, null);
    return answer?.t === 'taken' && answer.ok;
  }

  close(): void {
    this.#socket.destroy();
    for (const answer of this.#asked.values()) answer(undefined);
    this.#asked.clear();
  }

  /** `withinMs` null: as long as the connection is there, as what it changes must be known. */
  #ask(frame: Ask, withinMs: number | null = ANSWER_MS): Promise<FromWatch | undefined> {
    if (this.#socket.destroyed) return Promise.resolve(undefined);
    const id = this.#nextId++;
    const { promise, resolve } = Promise.withResolvers<FromWatch | undefined>();
    const timer = withinMs === null ? undefined : setTimeout(() => this.#asked.get(id)?.(undefined), withinMs);
    this.#asked.set(id, (answer) => {
      clearTimeout(timer);
      this.#asked.delete(id);
      resolve(answer);
    });
    this.#socket.write(`${JSON.stringify({ ...frame, id })}\n`);
    return promise;
  }

  #take(line: string): void {
    const frame = FromWatch.safeParse(JSON.parse(line));
    if (!frame.success) return this.close();
    this.#asked.get(frame.data.id)?.(frame.data);
  }
}
