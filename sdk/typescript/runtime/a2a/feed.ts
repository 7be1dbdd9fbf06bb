// Updates on their way to one reader. A reader that falls far behind is let go: it subscribes again and
// starts from the task as it is then.
import type { Update } from './wire.ts';

const MAX_WAITING = 10_000;

export class Feed {
  readonly #onClosed: () => void;
  #waiting: Update[] = [];
  #ended = false;
  #wake: (() => void) | undefined;

  constructor(onClosed: () => void) {
    this.#onClosed = onClosed;
  }

  push(update: Update): void {
    if (this.#ended) return;
    this.#waiting.push(update);
    if (this.#waiting.length > MAX_WAITING) {
      this.#waiting = [];
      this.end();
    }
    this.#wake?.();
  }

  /** What was pushed is still read. */
  end(): void {
    this.#ended = true;
    this.#wake?.();
    this.#onClosed();
  }

  async *read(): AsyncGenerator<Update, void, undefined> {
    try {
      for (;;) {
        const batch = this.#waiting;
        this.#waiting = [];
        yield* batch;
        if (this.#waiting.length > 0) continue;
        if (this.#ended) return;
        await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      this.end();
    }
  }
}
