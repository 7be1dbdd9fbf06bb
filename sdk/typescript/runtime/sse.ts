// One run as an event stream: `id`, `event`, `data` lines, a comment when it is silent, and memory within the
// limit of a slow reader.
import type { ServerResponse } from 'node:http';
import { DEFAULTS } from './options.ts';

/** Without an empty line behind it: many a client takes what stands before one for an event. */
export const KEEP_ALIVE = ': keep-alive\n';

export class SseStream {
  readonly #res: ServerResponse;
  readonly #heartbeat: NodeJS.Timeout;
  #seq = 0;
  #ended = false;
  /** All who wait for the same reader wait together. */
  #room: Promise<void> | undefined;

  constructor(res: ServerResponse, headers: Record<string, string>, heartbeatMs: number) {
    this.#res = res;
    res.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // For proxies that buffer by default.
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
      ...headers,
    });
    res.flushHeaders();
    this.#heartbeat = setInterval(() => void this.#write(KEEP_ALIVE), heartbeatMs);
    res.on('close', () => clearInterval(this.#heartbeat));
  }

  /** Resolves when the reader can take more; undefined when it can at once. */
  send(kind: string, payload: object): Promise<void> | undefined {
    if (this.#ended) return undefined;
    this.#seq += 1;
    this.#heartbeat.refresh();
    // JSON has no raw line break in it, so one data line always suffices.
    return this.#write(`id: ${this.#seq}\nevent: ${kind}\ndata: ${JSON.stringify({ kind, payload })}\n\n`);
  }

  /** An event that has its number already. */
  write({ seq, kind, data }: { seq: number; kind: string; data: string }): Promise<void> | undefined {
    if (this.#ended) return undefined;
    this.#seq = seq;
    this.#heartbeat.refresh();
    return this.#write(`id: ${seq}\nevent: ${kind}\ndata: ${data}\n\n`);
  }

  finish(): void {
    if (this.#ended) return;
    this.#ended = true;
    clearInterval(this.#heartbeat);
    this.#res.end();
  }

  end(kind: string, payload: object): void {
    if (this.#ended) return;
    void this.send(kind, payload);
    this.finish();
  }

  #write(text: string): Promise<void> | undefined {
    const res = this.#res;
    if (res.destroyed || res.writableEnded || res.write(text)) return undefined;
    if (res.writableLength > DEFAULTS.maxUnsentBytes) {
      res.destroy();
      return undefined;
    }
    this.#room ??= new Promise((resolve) => {
      const done = (): void => {
        res.off('drain', done).off('close', done);
        this.#room = undefined;
        resolve();
      };
      res.on('drain', done).on('close', done);
    });
    return this.#room;
  }
}
