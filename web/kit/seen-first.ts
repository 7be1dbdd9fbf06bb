import { useDeferredValue } from 'react';

/**
 * When it is first shown, the first `count` of a list; all of it in the frame after. What is below the window
 * does not hold up what is in it.
 */
export function useSeenFirst<T>(all: readonly T[], count: number): readonly T[] {
  const whole = useDeferredValue(true, false);
  return whole ? all : all.slice(0, count);
}
