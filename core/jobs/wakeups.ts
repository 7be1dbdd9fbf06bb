// One LISTEN connection per process; it reconnects automatically, and then wakes all waiters.
import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { accountChannel, AccountNews } from './account-news.ts';
import { newsChannel } from './append-event.ts';
import type { Wakeups, Watch } from '../kernel/wakeups.ts';

export interface Listener extends Wakeups {
  /**
   * Calls `handler` with each payload on `channel`, and with undefined after a reconnect (anything may have
   * been missed).
   */
  on(channel: string, handler: (payload: string | undefined) => void): void;
  close(): Promise<void>;
}

const retryMs = 500;

/**
 * Listens on news of jobs, threads and accounts, and on the given channels. Resolves once the first LISTEN is
 * in place.
 */
export async function startListener(connectionString: string, channels: readonly string[] = []): Promise<Listener> {
  const emitter = new EventEmitter().setMaxListeners(0);
  /** By id, those who watch it: readers come and go by the thousand. */
  const watching = new Map<string, Set<() => void>>();
  const accounts = new AccountNews();
  const all = [newsChannel, accountChannel, ...channels];
  let client: pg.Client | undefined;
  let closed = false;

  function wakeAll(): void {
    for (const wakes of watching.values()) for (const wake of wakes) wake();
  }

  async function connect(): Promise<void> {
    const next = new pg.Client({ connectionString, application_name: 'svc-listen', keepAlive: true });
    next.on('error', () => undefined); // 'end' follows and reconnects
    next.on('notification', ({ channel, payload = '' }) => {
      if (channel === newsChannel) for (const wake of watching.get(payload) ?? []) wake();
      else if (channel === accountChannel) accounts.heard(payload);
      else emitter.emit(channel, payload);
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
        wakeAll();
        accounts.heard(undefined);
        for (const channel of channels) emitter.emit(channel, undefined);
        return;
      } catch {
        // still down: try again
      }
    }
  }

  function watch(id: string): Watch {
    let news = false;
    let heard: (() => void) | undefined;
    const wake = (): void => {
      news = true;
      heard?.();
    };
    const others = watching.get(id);
    if (others) others.add(wake);
    else watching.set(id, new Set([wake]));
    return {
      next: (timeoutMs) =>
        new Promise((resolve) => {
          const timer = setTimeout(wake, timeoutMs);
          heard = () => {
            clearTimeout(timer);
            [news, heard] = [false, undefined];
            resolve();
          };
          if (news) heard();
        }),
      end: () => {
        const left = watching.get(id);
        left?.delete(wake);
        if (left?.size === 0) watching.delete(id);
        wake();
      },
    };
  }

  await connect();
  return {
    on: (channel, handler) => void emitter.on(channel, handler),
    watch,
    accounts,
    close: async () => {
      closed = true;
      wakeAll();
      await client?.end().catch(() => undefined);
    },
  };
}
