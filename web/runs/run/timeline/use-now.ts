import { useEffect, useState } from 'react';

/** Milliseconds since the epoch; it moves while a span is open. */
export function useNow(moves: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!moves) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [moves]);
  return now;
}
