import { useSyncExternalStore } from 'react';

/**
 * False where a server renders, and while a browser hydrates; true from then on. For what only the browser
 * knows.
 */
export function useInBrowser(): boolean {
  return useSyncExternalStore(
    () => () => undefined,
    () => true,
    () => false,
  );
}
