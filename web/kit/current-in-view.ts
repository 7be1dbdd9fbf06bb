import { useEffect, useRef, type RefObject } from 'react';

/** Pixels that stay visible of the one before it. */
const EDGE = 24;

/**
 * For a row of links or tabs that scrolls sideways: on a phone the current one may be beyond the edge. @param
 * at what the current one is
 */
export function useCurrentInView<E extends HTMLElement>(at: string): RefObject<E | null> {
  const row = useRef<E>(null);
  useEffect(() => {
    const { current } = row;
    if (!current) return undefined;
    // Called when the row has its size, at first as well: asked before, the browser would have to lay out the
    // page at once.
    const observer = new ResizeObserver(() => {
      const here = current.querySelector('[aria-current=page], [aria-selected=true]');
      if (here) current.scrollLeft += here.getBoundingClientRect().left - current.getBoundingClientRect().left - EDGE;
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, [at]);
  return row;
}
