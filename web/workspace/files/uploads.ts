// Uploads continue on other pages. Some at a time; where there is a file already, the user is asked.
import { ApiError } from '#contract/client.ts';
import { LARGE_FILE_BYTES, MAX_UPLOAD_BYTES } from '#contract/wire/limits.ts';
import { explain } from '../../kit/explain.ts';
import { wrongPath } from './entries.ts';
import type { SendFile } from './send-file.ts';

export interface Upload {
  id: number;
  path: string;
  size: number;
  sent: number;
  /** exists: there is a file at the path, and nobody said yet that it be replaced. */
  state: 'queued' | 'sending' | 'paused' | 'exists' | 'stored' | 'failed' | 'cancelled';
  why?: string;
  /** It can be paused and goes on. */
  large: boolean;
  /** Of a large one that has begun. */
  uploadId?: string;
}

const AT_A_TIME = 3;

interface FileUpload extends Upload {
  file: File;
  replace: boolean;
  stop: AbortController;
}

export class Uploads {
  #held: readonly FileUpload[] = [];
  #count = 0;
  readonly #listeners = new Set<() => void>();
  readonly #send: (file: SendFile) => Promise<void>;
  readonly #onStored: () => void;
  readonly #discard: (upload_id: string) => void;

  /** @param discard gives up what the platform keeps of a large one. */
  constructor(send: (file: SendFile) => Promise<void>, onStored: () => void, discard: (upload_id: string) => void = () => undefined) {
    this.#send = send;
    this.#onStored = onStored;
    this.#discard = discard;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly all = (): readonly Upload[] => this.#held;

  add(files: readonly { path: string; file: File; replace?: boolean }[]): void {
    const made = files.map(({ path, file, replace = false }): FileUpload => {
      this.#count += 1;
      const why = wrongPath(path) ?? (file.size > MAX_UPLOAD_BYTES ? `Files may have ${MAX_UPLOAD_BYTES / 2 ** 20} MiB at most.` : undefined);
      const common = { id: this.#count, path, size: file.size, sent: 0, large: file.size > LARGE_FILE_BYTES, file, replace, stop: new AbortController() };
      return why === undefined ? { ...common, state: 'queued' } : { ...common, state: 'failed', why };
    });
    this.#set([...this.#held, ...made]);
    this.#next();
  }

  cancel(id: number): void {
    const upload = this.#held.find((one) => one.id === id);
    upload?.stop.abort();
    if (upload?.uploadId !== undefined) this.#discard(upload.uploadId);
    this.#change(id, { state: 'cancelled' });
    this.#next();
  }

  /** What has arrived stays at the platform. */
  pause(id: number): void {
    this.#held.find((one) => one.id === id)?.stop.abort();
    this.#change(id, { state: 'paused' });
    this.#next();
  }

  /** In place of what is there. */
  replace(id: number): void {
    this.#change(id, { state: 'queued', replace: true, sent: 0 });
    this.#next();
  }

  /** Again, or on: a large one goes on where it was. */
  retry(id: number): void {
    this.#change(id, { state: 'queued', stop: new AbortController() });
    this.#next();
  }

  /** Of those at which nothing happens any more. */
  clear(): void {
    this.#set(this.#held.filter(({ state }) => state === 'queued' || state === 'sending' || state === 'paused'));
  }

  #next(): void {
    const busy = this.#held.filter(({ state }) => state === 'sending').length;
    for (const upload of this.#held.filter(({ state }) => state === 'queued').slice(0, Math.max(0, AT_A_TIME - busy))) void this.#one(upload);
  }

  async #one({ id, path, file, replace, stop }: FileUpload): Promise<void> {
    this.#change(id, { state: 'sending' });
    const { signal } = stop;
    const onSent = (sent: number): void => this.#change(id, { sent });
    const onOpened = (uploadId: string): void => {
      // Cancelled while it was opened: nothing of it is wanted.
      if (signal.aborted && this.#held.find((one) => one.id === id)?.state === 'cancelled') this.#discard(uploadId);
      else this.#change(id, { uploadId });
    };
    try {
      await this.#send({ path, file, replace, signal, onSent, onOpened });
      this.#change(id, { state: 'stored', sent: file.size });
      this.#onStored();
    } catch (error) {
      if (signal.aborted) return;
      const isThere = error instanceof ApiError && error.status === 412 && !replace;
      this.#change(id, isThere ? { state: 'exists', sent: 0 } : { state: 'failed', why: explain(error).message });
    }
    this.#next();
  }

  #change(id: number, to: Partial<FileUpload>): void {
    this.#set(this.#held.map((one) => (one.id === id ? { ...one, ...to } : one)));
  }

  #set(held: readonly FileUpload[]): void {
    this.#held = held;
    for (const listener of this.#listeners) listener();
  }
}
