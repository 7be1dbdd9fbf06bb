import { useDeferredValue } from 'react';
import { isReturning } from './returning.ts';

/**
 * When it is first shown, the first `count` of a list; all of it in the frame after. What is below the window
 * does not hold up what is in it. Where the reader returns, all of it at once.
 */
export function useSeenFirst<T>(all: readonly T[], count: number): readonly T[] {
  const whole = useDeferredValue(true, isReturning());
  return whole ? all : all.slice(0, count);
}
