// Keeps the end of a conversation in view while its reader is there, and the reader's place when earlier
// messages come in above it.
import { useEffect, useLayoutEffect, useRef } from 'react';

const NEAR_PX = 160;

export function useEnd(seq: number): { keepingPlace(change: () => Promise<void>): Promise<void> } {
  const isNear = useRef(true);
  const savedPosition = useRef<{ height: number; top: number }>(undefined);
  useEffect(() => {
    const look = (): void => {
      const { scrollHeight, clientHeight } = document.documentElement;
      isNear.current = scrollHeight - clientHeight - window.scrollY < NEAR_PX;
    };
    // What is loaded later, and a keyboard on a screen, move the end.
    const sizes = new ResizeObserver(() => isNear.current && toEnd());
    sizes.observe(document.body);
    window.addEventListener('scroll', look, { passive: true });
    return () => {
      sizes.disconnect();
      window.removeEventListener('scroll', look);
    };
  }, []);
  useLayoutEffect(() => {
    if (isNear.current) toEnd();
  }, [seq]);
  useLayoutEffect(() => {
    if (!savedPosition.current) return;
    const { height, top } = savedPosition.current;
    savedPosition.current = undefined;
    window.scrollTo({ top: top + document.documentElement.scrollHeight - height });
  });
  return {
    async keepingPlace(change) {
      const before = { height: document.documentElement.scrollHeight, top: window.scrollY };
      isNear.current = false;
      await change();
      savedPosition.current = before;
    },
  };
}

function toEnd(): void {
  window.scrollTo({ top: document.documentElement.scrollHeight });
}
