// What went out on the stream of one request of a client of 2025, by numbers, so that a client whose
// connection broke reads on where it was.
import type { ServerResponse } from 'node:http';
import type { EventStore } from '@modelcontextprotocol/server';

export const STREAM_HEADERS = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' } as const;
/** When a client whose connection broke is to come again. */
export const RETRY_MS = 1_000;

/** Beyond that the oldest go: they are notices, and the answer comes last. */
const MAX_EVENTS = 1_000;
const MAX_LENGTH = 4 * 1024 * 1024;
/** Unsent to a reader that does not read: it may come again. */
const MAX_UNSENT_BYTES = 8 * 1024 * 1024;

interface LoggedEvent {
  n: number;
  json: string;
}

export class StreamLog implements EventStore {
  readonly #id: string;
  readonly #events: LoggedEvent[] = [];
  #last = 0;
  #length = 0;
  #reader: ServerResponse | undefined;

  /** @param id not to be guessed: whoever has it and is the same caller may read */
  constructor(id: string) {
    this.#id = id;
  }

  storeEvent(_stream: string, message: object): Promise<string> {
    const event = { n: (this.#last += 1), json: JSON.stringify(message) };
    this.#events.push(event);
    this.#length += event.json.length;
    while (this.#events.length > 1 && (this.#events.length > MAX_EVENTS || this.#length > MAX_LENGTH)) this.#length -= this.#events.shift()?.json.length ?? 0;
    if (this.#reader) this.#write(this.#reader, event);
    return Promise.resolve(`${this.#id}.${event.n}`);
  }

  /** Readers come to `follow`. */
  replayEventsAfter(): Promise<string> {
    return Promise.reject(new Error('a stream is read on by a request of its own'));
  }

  /** What came after `after`, and what comes. The reader before it, if it still reads, ends. */
  follow(res: ServerResponse, after: number, keepAliveMs: number): void {
    this.#reader?.end();
    this.#reader = res;
    const beat = setInterval(() => res.write(': keepalive\n\n'), keepAliveMs).unref();
    res.once('close', () => {
      clearInterval(beat);
      if (this.#reader === res) this.#reader = undefined;
    });
    res.writeHead(200, STREAM_HEADERS);
    res.write(`retry: ${RETRY_MS}\n\n`);
    for (const event of this.#events) if (event.n > after) this.#write(res, event);
  }

  end(): void {
    this.#reader?.end();
  }

  #write(res: ServerResponse, { n, json }: LoggedEvent): void {
    // The first one has no message.
    if (json === '{}') return;
    res.write(`event: message\nid: ${this.#id}.${n}\ndata: ${json}\n\n`);
    if (res.writableLength > MAX_UNSENT_BYTES) res.destroy();
  }
}

/** @returns the stream and the last event of it that was read */
export function placeIn(lastEventId: string): { id: string; after: number } | undefined {
  const [, id, after] = /^([\w-]{1,160})\.(\d{1,9})$/.exec(lastEventId) ?? [];
  return id === undefined ? undefined : { id, after: Number(after) };
}
