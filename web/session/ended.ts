// A session that ends while a page is open: the page stays as it is, with what was typed in it, until the
// reader has signed in again (shell/session-ended.tsx).
import { useSyncExternalStore } from 'react';

let isEnded = false;
const listeners = new Set<() => void>();

/** @returns whether that is news */
export function setSessionEnded(ended: boolean): boolean {
  if (isEnded === ended) return false;
  isEnded = ended;
  for (const listener of listeners) listener();
  return true;
}

export function useSessionEnded(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isEnded,
    () => false,
  );
}
