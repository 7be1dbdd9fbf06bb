import { hashKey } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';

/**
 * What stands in the address, ahead of it: the address follows some frames after a key, and the next key or
 * letter begins from what the last one did.
 * @param keep writes it to the address
 */
export function useAhead<S extends object>(kept: S, keep: (next: S) => void): [S, (part: Partial<S>) => void] {
  const [now, setNow] = useState(kept);
  const latest = useRef(kept);
  /** On their way to the address, or overtaken by a later one. */
  const sent = useRef(new Set<string>());
  const at = hashKey([kept]);
  useEffect(() => {
    if (at === hashKey([latest.current])) sent.current.clear();
    else if (!sent.current.has(at)) {
      // By a link, or a way back.
      latest.current = kept;
      setNow(kept);
    }
  }, [at]);
  const change = (part: Partial<S>): void => {
    const next = { ...latest.current, ...part };
    latest.current = next;
    sent.current.add(hashKey([next]));
    setNow(next);
    keep(next);
  };
  return [now, change];
}
