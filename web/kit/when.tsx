import { useSyncExternalStore } from 'react';
import { now } from '../api/visit.ts';
import { ago } from './time.ts';

const TICK_MS = 10_000;
let ticks = 0;
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

/** One clock for all of a page. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    ticks += 1;
    for (const one of listeners) one();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

const count = (): number => ticks;

/** "3 minutes ago", "in 2 hours"; the exact time, in the reader's zone, on hover (hints.tsx). */
export function When({ at }: { at: string }) {
  useSyncExternalStore(subscribe, count, count);
  return (
    <time dateTime={at} tabIndex={-1}>
      {ago(at, now())}
    </time>
  );
}
