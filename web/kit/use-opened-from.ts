import { useEffect, useRef, useState, type RefObject } from 'react';

/**
 * Opens at once, as the press that loaded it asked for; the focus is at the button then, and so comes back to
 * it.
 */
export function useOpenedFrom(): { ref: RefObject<HTMLElement | null>; isOpen: boolean; setOpen: (isOpen: boolean) => void } {
  const ref = useRef<HTMLElement>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    ref.current?.focus();
    setOpen(true);
  }, []);
  return { ref, isOpen, setOpen };
}
