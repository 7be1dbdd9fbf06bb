import { useEffect, useRef } from 'react';

/**
 * `mod+k`, `/`, `r`: mod is ⌘ or Ctrl. Keys without mod do nothing in text fields.
 */
export function useHotkey(key: string, act: (() => void) | undefined): void {
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  useEffect(() => {
    const [name = '', mod] = key.split('+').reverse();
    const listen = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== name || event.defaultPrevented || event.altKey) return;
      if ((event.metaKey || event.ctrlKey) !== (mod === 'mod')) return;
      if (mod === undefined && isTyping(event.target)) return;
      if (!latest.current) return;
      event.preventDefault();
      latest.current();
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [key]);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName) || target.closest('[role=dialog]') !== null)
  );
}
