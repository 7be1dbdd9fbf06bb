// One LISTEN connection per process; it reconnects by itself and wakes everybody when it had to.
import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { newsChannel } from './append-event.ts';
import type { Wakeups } from './read-events.ts';

export interface Listener extends Wakeups {
  /** Calls `handler` with each payload on `channel`, and with undefined after a reconnect (anything may have been missed). */
  on(channel: string, handler: (payload: string | undefined) => void): void;
  close(): Promise<void>;
}

const retryMs = 500;

/** Listens on news of jobs and threads, and on the given channels. Resolves once the first LISTEN is in place. */
export async function startListener(connectionString: string, channels: readonly string[] = []): Promise<Listener> {
  const emitter = new EventEmitter().setMaxListeners(0);
  const all = [newsChannel, ...channels];
  let client: pg.Client | undefined;
  let closed = false;

  async function connect(): Promise<void> {
    const next = new pg.Client({ connectionString, application_name: 'svc-listen', keepAlive: true });
    next.on('error', () => undefined); // 'end' follows and reconnects
    next.on('notification', ({ channel, payload }) => {
      emitter.emit(channel, payload);
      if (channel === newsChannel) emitter.emit(`news:${payload}`);
    });
    try {
      await next.connect();
      for (const channel of all) await next.query(`listen ${channel}`);
    } catch (error) {
      await next.end().catch(() => undefined);
      throw error;
    }
    if (closed) return next.end();
    client = next;
    next.once('end', () => void reconnect());
  }

  async function reconnect(): Promise<void> {
    while (!closed) {
      await delay(retryMs);
      if (closed) return;
      try {
        await connect();
        emitter.emit('reconnected');
        for (const channel of channels) emitter.emit(channel, undefined);
        return;
      } catch {
        // still down: try again
      }
    }
  }

  await connect();
  return {
    on: (channel, handler) => void emitter.on(channel, handler),
    next: (id, timeoutMs, signal) =>
      new Promise((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          emitter.off(`news:${id}`, done).off('reconnected', done);
          signal.removeEventListener('abort', done);
          resolve();
        };
        const timer = setTimeout(done, timeoutMs);
        emitter.once(`news:${id}`, done).once('reconnected', done);
        if (signal.aborted) done();
        else signal.addEventListener('abort', done, { once: true });
      }),
    close: async () => {
      closed = true;
      emitter.emit('reconnected');
      await client?.end().catch(() => undefined);
    },
  };
}
