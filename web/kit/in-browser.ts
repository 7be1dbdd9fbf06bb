import { useSyncExternalStore } from 'react';

/** False where a server renders, and while a browser takes that over; true from then on. For what the browser alone knows. */
export function useInBrowser(): boolean {
  return useSyncExternalStore(
    () => () => undefined,
    () => true,
    () => false,
  );
}
