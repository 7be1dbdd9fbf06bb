// Every page, every agent and what one does most, by a few letters. Made once, then shown and hidden only by
// its visibility: to make a dialog anew takes a slow processor a tenth of a second.
import { useLayoutEffect, useRef, useDeferredValue, type KeyboardEvent } from 'react';
import { createPortal } from 'react-dom';
import { Finder } from './palette-finder.tsx';
import styles from './palette.module.css';

export interface PaletteProps {
  opened: boolean;
  onClose: () => void;
}

export function Palette({ opened, onClose }: PaletteProps) {
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (!opened) return undefined;
    const before = document.activeElement;
    field.current?.focus();
    field.current?.select();
    // A hidden element loses the focus automatically.
    if (!(before instanceof HTMLElement) || before === document.body) return undefined;
    return () => before.focus({ preventScroll: true });
  }, [opened]);
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') onClose();
    // The field is all of it that a key goes to.
    if (event.key === 'Tab') event.preventDefault();
  };
  return createPortal(
    <div className={styles.ground} data-shown={opened || undefined} onClick={(event) => event.target === event.currentTarget && onClose()}>
      <div role="dialog" aria-modal aria-label="Search or go to" className={styles.palette} onKeyDown={onKey}>
        <Finder opened={useDeferredValue(opened)} field={field} onClose={onClose} />
      </div>
    </div>,
    document.body,
  );
}
