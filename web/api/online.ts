// Whether the platform can be reached: what the browser says, and what requests find.
import { useSyncExternalStore } from 'react';

const AGAIN_MS = 4_000;

let isReached = true;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

/** False: nothing can be loaded now. */
export const isOnline = (): boolean => isReached && navigator.onLine;

/** For every request. One that fails is followed by looks until one arrives. */
export function noteReached(reached: boolean): void {
  if (isReached === reached) return;
  isReached = reached;
  clearTimeout(timer);
  if (!reached) look();
  for (const listener of listeners) listener();
}

function look(): void {
  timer = setTimeout(() => {
    fetch('/v1/auth/session').then(
      () => noteReached(true),
      () => look(),
    );
  }, AGAIN_MS);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  for (const event of ['online', 'offline']) addEventListener(event, listener);
  return () => {
    listeners.delete(listener);
    for (const event of ['online', 'offline']) removeEventListener(event, listener);
  };
}

export const useOnline = (): boolean => useSyncExternalStore(subscribe, isOnline, () => true);
