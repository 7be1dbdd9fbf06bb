// A worker's process, and who uses it: in development the agent before a change and the one after it, each
// over a connection of its own.
import { rm } from 'node:fs/promises';
import type { WorkerProcess } from './process.ts';

export class SharedProcess {
  readonly process: WorkerProcess;
  readonly socket: string;
  readonly #folder: string | undefined;
  #users = 1;

  /** `folder`: where the socket is, if it was made for it. */
  constructor(process: WorkerProcess, socket: string, folder: string | undefined) {
    this.process = process;
    this.socket = socket;
    this.#folder = folder;
  }

  join(): this {
    this.#users += 1;
    return this;
  }

  /** It ends with its last user. */
  async leave(graceMs: number): Promise<void> {
    this.#users -= 1;
    if (this.#users > 0) return;
    await this.process.end(graceMs);
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true });
  }
}
