// Writes one task to the platform: what comes first is written first, and changes that come while something
// is written go together.
import { MAX_TASK_SNAPSHOT, MAX_TASK_UPDATES } from '../../../contract/run/protocol-tasks.ts';
import type { Executor } from './executor.ts';
import { WriteRefused, type PushAddress, type RunTask, type TaskToWrite, type TaskUpdate } from './stored-tasks.ts';

/** A task that is over sooner is written once. */
const SOON_MS = 100;
/** So long an answer waits until its task is written. */
const PATIENCE_MS = 2_000;
const AGAIN_MS = 10_000;
const MAX_UPDATES = 1000;

export interface WriterParts {
  task: RunTask;
  /** The task as it is now. */
  read: () => TaskToWrite;
  /** Keeps the machine awake for what is being written. */
  executor: Pick<Executor, 'writes'>;
  onError: (error: unknown) => void;
}

export class TaskWriter {
  readonly #parts: WriterParts;
  #last: Promise<void> = Promise.resolve();
  #dirty = false;
  #updates: TaskUpdate[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** The platform may have it. */
  #isSent = false;

  constructor(parts: WriterParts) {
    this.#parts = parts;
  }

  /** Not all that changed is written yet. */
  get isBehind(): boolean {
    return this.#dirty;
  }

  get isSent(): boolean {
    return this.#isSent;
  }

  changed(): void {
    this.#dirty = true;
    this.#timer ??= setTimeout(() => void this.flush(), SOON_MS).unref();
  }

  push(update: TaskUpdate): void {
    if (this.#updates.length < MAX_UPDATES) this.#updates.push(update);
    this.changed();
  }

  /** Resolves when all until now is written, or cannot be. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#last = this.#parts.executor.writes(this.#last.then(() => this.#write()));
    return this.#last;
  }

  /** The same, as long as an answer can wait. */
  async saved(): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, PATIENCE_MS);
    await Promise.race([this.flush(), late]);
    clearTimeout(timer);
  }

  /** What changes from now on is pushed there. @throws PushRefused */
  async setPush(push: PushAddress & { namedBy: string }): Promise<void> {
    const { task, read } = this.#parts;
    this.#isSent = true;
    // Updates wait until the address is known.
    const done = this.#parts.executor.writes(
      this.#last.then(async () => {
        await task.write({ ...read(), updates: [] });
        await task.setPush(push);
      }),
    );
    this.#last = done.catch(() => undefined);
    await done;
  }

  async removePush(id: string): Promise<void> {
    const done = this.#parts.executor.writes(this.#last.then(() => this.#parts.task.removePush(id)));
    this.#last = done.catch(() => undefined);
    await done;
  }

  /** As many as go in one request. */
  #next(): TaskUpdate[] {
    let bytes = 0;
    const over = this.#updates.findIndex(({ body }, at) => (bytes += Buffer.byteLength(body)) > MAX_TASK_SNAPSHOT && at > 0);
    return this.#updates.splice(0, over === -1 ? MAX_TASK_UPDATES : Math.min(over, MAX_TASK_UPDATES));
  }

  async #write(): Promise<void> {
    const { task, read, onError } = this.#parts;
    while (this.#dirty) {
      this.#dirty = false;
      this.#isSent = true;
      const updates = this.#next();
      if (this.#updates.length > 0) this.#dirty = true;
      try {
        await task.write({ ...read(), updates });
      } catch (error) {
        onError(error);
        if (error instanceof WriteRefused) continue;
        this.#updates.unshift(...updates);
        this.#dirty = true;
        this.#timer ??= setTimeout(() => void this.flush(), AGAIN_MS).unref();
        return;
      }
    }
  }
}
