import { useDeferredValue } from 'react';

export const zoneOfReader = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/**
 * The reader's time zone, as "Europe/Prague"; undefined in the first frame: the first use of the browser's
 * locale data takes tens of milliseconds.
 */
export function useReadersZone(): string | undefined {
  const shown = useDeferredValue(true, false);
  return shown ? zoneOfReader() : undefined;
}
