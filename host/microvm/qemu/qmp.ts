// QEMU's control protocol: JSON lines over a unix socket. QEMU may be hostile (a guest may have broken out):
// lines are bounded.
import type { Duplex } from 'node:stream';
import { within } from '../deadline.ts';
import { MicroVmError } from '../images/tools.ts';

const LINE_LIMIT = 1 << 20;
const COMMAND_MS = 30_000;

type Json = Record<string, unknown>;
type Waiter = { resolve: (value: unknown) => void; reject: (error: Error) => void };

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null;

export class Qmp {
  #socket: Duplex;
  #text = '';
  #replies: Waiter[] = [];
  #watchers = new Set<(event: string, data: Json) => void>();
  #greeting: Promise<void>;
  #greeted: () => void = () => undefined;
  readonly closed: Promise<void>;

  constructor(socket: Duplex) {
    this.#socket = socket;
    this.#greeting = new Promise((resolve) => (this.#greeted = resolve));
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      this.#greeted();
      for (const waiter of this.#replies.splice(0)) waiter.reject(new MicroVmError('machine_gone', 'QEMU has ended.'));
    });
  }

  async start(): Promise<void> {
    await this.#greeting;
    await this.command('qmp_capabilities');
  }

  /**
   * QEMU answers in milliseconds; one that does not is stuck or hostile, and must not hold up its owner for
   * ever.
   */
  command(execute: string, args?: Json): Promise<unknown> {
    return within(COMMAND_MS, this.#ask(execute, args), 'machine_gone', `QEMU did not answer '${execute}' within ${COMMAND_MS / 1000} s.`);
  }

  #ask(execute: string, args: Json | undefined): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed) return reject(new MicroVmError('machine_gone', 'QEMU has ended.'));
      this.#replies.push({ resolve, reject });
      this.#socket.write(`${JSON.stringify(args === undefined ? { execute } : { execute, arguments: args })}\n`);
    });
  }

  /** Resolves with the first migration state that ends a migration: 'completed', 'failed' or 'cancelled'. */
  migrationEnd(): Promise<string> {
    return new Promise((resolve, reject) => {
      const watcher = (event: string, data: Json): void => {
        const status = data['status'];
        if (event !== 'MIGRATION' || typeof status !== 'string' || !['completed', 'failed', 'cancelled'].includes(status)) return;
        this.#watchers.delete(watcher);
        resolve(status);
      };
      this.#watchers.add(watcher);
      void this.closed.then(() => reject(new MicroVmError('machine_gone', 'QEMU ended during a migration.')));
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    this.#text += chunk.toString();
    for (let end = this.#text.indexOf('\n'); end >= 0; end = this.#text.indexOf('\n')) {
      const line = this.#text.slice(0, end);
      this.#text = this.#text.slice(end + 1);
      this.#handle(line);
    }
    if (this.#text.length > LINE_LIMIT) this.#socket.destroy();
  }

  #handle(line: string): void {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      this.#socket.destroy();
      return;
    }
    if (!isJson(message)) return;
    if ('QMP' in message) return this.#greeted();
    const { event, data, error } = message;
    if (typeof event === 'string') {
      for (const watcher of this.#watchers) watcher(event, isJson(data) ? data : {});
    } else if (isJson(error)) {
      this.#replies.shift()?.reject(new MicroVmError('qemu_refused', `QEMU: ${String(error['desc'])}`));
    } else {
      this.#replies.shift()?.resolve(message['return']);
    }
  }
}
