import { type ReactNode, useEffect, useRef, useState } from 'react';

/**
 * What may be wider than the window. The keyboard comes here where there is something to scroll, and nowhere
 * else.
 */
export function Scrolled({ label, className, children }: { label: string; className: string | undefined; children: ReactNode }) {
  const element = useRef<HTMLDivElement>(null);
  const [scrolls, setScrolls] = useState(false);
  useEffect(() => {
    const { current } = element;
    if (!current) return undefined;
    const observer = new ResizeObserver(() => setScrolls(current.scrollWidth > current.clientWidth));
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={element} className={className} {...(scrolls && { role: 'group', 'aria-label': label, tabIndex: 0 })}>
      {children}
    </div>
  );
}
