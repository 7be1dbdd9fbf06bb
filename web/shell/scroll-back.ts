// "Back" leads to the place that one left. The router scrolls there when the page is drawn first, and a long
// list is not whole then: it is scrolled again as it grows, until somebody scrolls by hand.
import type { DashboardRouter } from './router.tsx';

const LONGEST_MS = 3_000;
const BY_HAND = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;

/** One entry of the browser's history. */
interface Entry {
  href: string;
  state: { __TSR_key?: string | undefined };
}

export function scrollBack(router: DashboardRouter): void {
  const tops = new Map<string, number>();
  const keyOf = ({ href, state }: Entry): string => state.__TSR_key ?? href;
  let stop = (): void => undefined;
  router.subscribe('onBeforeLoad', ({ fromLocation }) => {
    stop();
    if (fromLocation) tops.set(keyOf(fromLocation), window.scrollY);
  });
  router.subscribe('onRendered', ({ toLocation }) => {
    stop();
    const top = tops.get(keyOf(toLocation));
    if (top === undefined || Math.abs(top - window.scrollY) < 2) return;
    const growing = new ResizeObserver(() => {
      if (document.documentElement.scrollHeight - window.innerHeight < top) return;
      window.scrollTo({ top, behavior: 'instant' });
      stop();
    });
    const timer = setTimeout(() => stop(), LONGEST_MS);
    stop = () => {
      clearTimeout(timer);
      growing.disconnect();
      for (const kind of BY_HAND) window.removeEventListener(kind, stop);
    };
    for (const kind of BY_HAND) window.addEventListener(kind, stop, { passive: true });
    growing.observe(document.body);
  });
}
