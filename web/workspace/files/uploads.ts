// Uploads go on while one looks at other pages. Some at a time; where there is a file already, the reader is asked.
import { ApiError } from '#contract/client.ts';
import { MAX_FILE_BYTES } from '#contract/wire/limits.ts';
import { explain } from '../../kit/explain.ts';
import { wrongPath } from './entries.ts';
import type { SendFile } from './send-file.ts';

export interface Upload {
  id: number;
  path: string;
  size: number;
  sent: number;
  /** exists: there is a file at the path, and nobody said yet that it be replaced. */
  state: 'queued' | 'sending' | 'exists' | 'stored' | 'failed' | 'cancelled';
  why?: string;
}

const AT_A_TIME = 3;

interface Held extends Upload {
  file: File;
  replace: boolean;
  stop: AbortController;
}

export class Uploads {
  #held: readonly Held[] = [];
  #count = 0;
  readonly #listeners = new Set<() => void>();
  readonly #send: (file: SendFile) => Promise<void>;
  readonly #onStored: () => void;

  constructor(send: (file: SendFile) => Promise<void>, onStored: () => void) {
    this.#send = send;
    this.#onStored = onStored;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly all = (): readonly Upload[] => this.#held;

  add(files: readonly { path: string; file: File }[]): void {
    const made = files.map(({ path, file }): Held => {
      this.#count += 1;
      const why = wrongPath(path) ?? (file.size > MAX_FILE_BYTES ? `Files may have ${MAX_FILE_BYTES / 2 ** 20} MiB at most.` : undefined);
      const common = { id: this.#count, path, size: file.size, sent: 0, file, replace: false, stop: new AbortController() };
      return why === undefined ? { ...common, state: 'queued' } : { ...common, state: 'failed', why };
    });
    this.#set([...this.#held, ...made]);
    this.#next();
  }

  cancel(id: number): void {
    this.#held.find((one) => one.id === id)?.stop.abort();
    this.#change(id, { state: 'cancelled' });
    this.#next();
  }

  /** In place of what is there. */
  replace(id: number): void {
    this.#change(id, { state: 'queued', replace: true, sent: 0 });
    this.#next();
  }

  retry(id: number): void {
    this.#change(id, { state: 'queued', sent: 0, stop: new AbortController() });
    this.#next();
  }

  /** Of those at which nothing happens any more. */
  clear(): void {
    this.#set(this.#held.filter(({ state }) => state === 'queued' || state === 'sending'));
  }

  #next(): void {
    const busy = this.#held.filter(({ state }) => state === 'sending').length;
    for (const held of this.#held.filter(({ state }) => state === 'queued').slice(0, Math.max(0, AT_A_TIME - busy))) void this.#one(held);
  }

  async #one({ id, path, file, replace, stop }: Held): Promise<void> {
    this.#change(id, { state: 'sending' });
    try {
      await this.#send({ path, file, replace, signal: stop.signal, onSent: (sent) => this.#change(id, { sent }) });
      this.#change(id, { state: 'stored', sent: file.size });
      this.#onStored();
    } catch (error) {
      if (stop.signal.aborted) return;
      const isThere = error instanceof ApiError && error.status === 412 && !replace;
      this.#change(id, isThere ? { state: 'exists', sent: 0 } : { state: 'failed', why: explain(error).message });
    }
    this.#next();
  }

  #change(id: number, to: Partial<Held>): void {
    this.#set(this.#held.map((one) => (one.id === id ? { ...one, ...to } : one)));
  }

  #set(held: readonly Held[]): void {
    this.#held = held;
    for (const listener of this.#listeners) listener();
  }
}
