// The events of a detached run, numbered, kept for readers that come, go and come again. Nothing unread is
// ever dropped: a full log holds the skill back until a reader has read more. Read events are kept, too,
// while there is room, for readers whose connection broke.
import { SvcError } from '../authoring/errors.ts';

export interface LoggedEvent {
  /** From 1, without gaps. */
  seq: number;
  kind: string;
  /** `{"kind":…,"payload":…}` */
  data: string;
}

const LOG_LIMITS = { events: 10_000, bytes: 8 * 1024 * 1024 } as const;

/** For a run that may have no reader: events beyond the limits are dropped. */
const LOOSE_LIMITS = { events: 1_000, bytes: 1024 * 1024 } as const;

/** Events before the point asked for are not kept any more. */
export class EventsGone extends SvcError {
  readonly oldest: number;
  constructor(oldest: number) {
    super('events_gone', `events before ${oldest} were removed; read again from ${oldest - 1}, or without last-event-id`);
    this.oldest = oldest;
  }
}

export class EventLog {
  #limits: { events: number; bytes: number };
  #loose: boolean;
  readonly #onOverflow: () => void;
  readonly #events: LoggedEvent[] = [];
  readonly #wakeReaders = new Set<() => void>();
  #wakeWriters: (() => void)[] = [];
  #bytes = 0;
  #last = 0;
  #read = 0;
  #ended = false;

  /** Keeps only the newest events and never blocks the skill, until `keep()`. */
  static loose(onOverflow: () => void): EventLog {
    const log = new EventLog(onOverflow, LOOSE_LIMITS);
    log.#loose = true;
    return log;
  }

  /** From here on nothing unread is dropped. */
  keep(): void {
    this.#loose = false;
    this.#limits = LOG_LIMITS;
  }

  /** @param onOverflow the writer did not wait although the log was full; the log is closed */
  constructor(onOverflow: () => void = () => {}, limits: { events: number; bytes: number } = LOG_LIMITS) {
    this.#onOverflow = onOverflow;
    this.#limits = limits;
    this.#loose = false;
  }

  get ended(): boolean {
    return this.#ended;
  }
  /** True once a reader has had the last event. */
  get taken(): boolean {
    return this.#ended && this.#read >= this.#last;
  }
  get bytes(): number {
    return this.#bytes;
  }
  get lastSeq(): number {
    return this.#last;
  }

  get oldest(): number {
    return this.#events[0]?.seq ?? this.#last + 1;
  }

  /** True when reading after this number loses nothing. */
  has(after: number): boolean {
    return after > this.#last || after + 1 >= this.oldest;
  }

  /** A promise means: wait before sending more. */
  append(kind: string, payload: object): Promise<void> | undefined {
    if (this.#ended) return undefined;
    this.#put(kind, payload);
    if (this.#loose || !this.#full(1)) return undefined;
    if (this.#full(2)) this.#onOverflow();
    return new Promise((resolve) => this.#wakeWriters.push(resolve));
  }

  /** The last event; always taken. */
  end(kind: string, payload: object): void {
    if (this.#ended) return;
    this.#put(kind, payload);
    this.#ended = true;
    this.#releaseWriters();
  }

  /** Events after `after`, as they come, to the last. @throws EventsGone */
  async *read(after = 0, signal?: AbortSignal): AsyncGenerator<LoggedEvent> {
    // A number from the future belongs to another life of this run: all that is here is news.
    let seen = after > this.#last ? 0 : after;
    let woken = Promise.withResolvers<void>();
    // In a turn of its own: what the skill does next may block, and take with it what is due in the same
    // turn.
    const wake = (): void => void setImmediate(woken.resolve);
    this.#wakeReaders.add(wake);
    signal?.addEventListener('abort', wake, { once: true });
    try {
      for (;;) {
        if (!this.has(seen)) throw new EventsGone(this.oldest);
        for (let event = this.#after(seen); event && !signal?.aborted; event = this.#after(seen)) {
          yield event;
          seen = event.seq;
          this.#markRead(seen);
        }
        if (signal?.aborted || (this.#ended && seen >= this.#last)) return;
        await woken.promise;
        woken = Promise.withResolvers<void>();
      }
    } finally {
      this.#wakeReaders.delete(wake);
      signal?.removeEventListener('abort', wake);
    }
  }

  #after(seq: number): LoggedEvent | undefined {
    return this.#events[seq + 1 - this.oldest];
  }

  #put(kind: string, payload: object): void {
    this.#last += 1;
    const data = JSON.stringify({ kind, payload });
    this.#events.push({ seq: this.#last, kind, data });
    this.#bytes += data.length;
    this.#trim();
    for (const wake of this.#wakeReaders) wake();
  }

  #markRead(seq: number): void {
    if (seq <= this.#read) return;
    this.#read = seq;
    this.#trim();
    if (!this.#full(1)) this.#releaseWriters();
  }

  /** What was read makes room when room is needed. */
  #trim(): void {
    let count = 0;
    while (this.#over(count) && (this.#loose || (this.#events[count]?.seq ?? Number.POSITIVE_INFINITY) <= this.#read)) {
      this.#bytes -= this.#events[count]?.data.length ?? 0;
      count += 1;
    }
    if (count > 0) this.#events.splice(0, count);
  }

  #over(dropped: number): boolean {
    return this.#events.length - dropped > this.#limits.events || this.#bytes > this.#limits.bytes;
  }
  #full(times: number): boolean {
    return this.#events.length > this.#limits.events * times || this.#bytes > this.#limits.bytes * times;
  }

  #releaseWriters(): void {
    const waiting = this.#wakeWriters;
    this.#wakeWriters = [];
    for (const resume of waiting) setImmediate(resume);
  }
}
