import { useEffect, useState } from 'react';
import { now } from '../api/visit.ts';

/** Milliseconds since the epoch; it moves while a span is open. */
export function useNow(moves: boolean): number {
  const [shown, setShown] = useState(now);
  useEffect(() => {
    if (!moves) return undefined;
    const timer = setInterval(() => setShown(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [moves]);
  return shown;
}
