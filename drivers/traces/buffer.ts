// Spans between those who add them and the store: bounded, written many at a time, so that no call waits for
// them.
import type { StoredSpan } from './port.ts';

export interface SpanBufferOptions {
  write(spans: readonly StoredSpan[]): Promise<void>;
  /** Of each that is lost, at most once a second. */
  onLost(spans: number, error: unknown): void;
  /** Spans held at a time. */
  room?: number;
  /** Characters held at a time, roughly. */
  roomLength?: number;
  batch?: number;
  everyMs?: number;
}

/**
 * A batch is tried so often: then its spans are lost, so that one that cannot be written does not hold up the
 * others.
 */
const TRIES = 3;
const NOTICE_EVERY_MS = 1_000;

export class SpanBuffer {
  readonly #o: Required<SpanBufferOptions>;
  #held: StoredSpan[] = [];
  #length = 0;
  #lost = 0;
  #unsaid = 0;
  #saidAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: SpanBufferOptions) {
    this.#o = { room: 20_000, roomLength: 32 * 1024 * 1024, batch: 500, everyMs: 200, ...options };
  }

  get lost(): number {
    return this.#lost;
  }

  add(spans: readonly StoredSpan[]): void {
    for (const [at, span] of spans.entries()) {
      if (this.#held.length >= this.#o.room || this.#length >= this.#o.roomLength) {
        this.#lose(spans.length - at, 'the buffer is full');
        break;
      }
      this.#held.push(span);
      this.#length += lengthOf(span);
    }
    this.#timer ??= setTimeout(() => void this.flush(), this.#o.everyMs).unref();
  }

  /** Never rejects. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    while (this.#held.length > 0) {
      // Taken out once they are written: until then they count against the room.
      const batch = this.#held.slice(0, this.#o.batch);
      await this.#try(batch);
      this.#held = this.#held.slice(batch.length);
      this.#length = this.#held.length === 0 ? 0 : this.#length - batch.reduce((sum, span) => sum + lengthOf(span), 0);
    }
  }

  async #try(batch: readonly StoredSpan[]): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#o.write(batch);
      } catch (error) {
        if (tries >= TRIES) return this.#lose(batch.length, error);
        await new Promise((resolve) => setTimeout(resolve, 100 * 2 ** tries).unref());
      }
    }
  }

  #lose(count: number, error: unknown): void {
    this.#lost += count;
    this.#unsaid += count;
    if (performance.now() - this.#saidAt < NOTICE_EVERY_MS) return;
    this.#o.onLost(this.#unsaid, error);
    this.#saidAt = performance.now();
    this.#unsaid = 0;
  }
}

/** An estimate; the caller has already bounded the values of attributes. */
function lengthOf({ name, message, attributes, events }: StoredSpan): number {
  return 300 + name.length + (message?.length ?? 0) + 40 * (Object.keys(attributes).length + events.length);
}
