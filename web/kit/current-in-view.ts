import { useViewportSize } from '@mantine/hooks';
import { useEffect, useRef, type RefObject } from 'react';

/** Pixels that stay visible of the one before it. */
const EDGE = 24;

/** For a row of links or tabs that scrolls sideways: on a phone the current one may be beyond the edge. @param at what the current one is */
export function useCurrentInView<E extends HTMLElement>(at: string): RefObject<E | null> {
  const row = useRef<E>(null);
  const { width } = useViewportSize();
  useEffect(() => {
    const here = row.current?.querySelector<HTMLElement>('[aria-current=page], [aria-selected=true]');
    if (here && row.current) row.current.scrollLeft += here.getBoundingClientRect().left - row.current.getBoundingClientRect().left - EDGE;
  }, [at, width]);
  return row;
}
