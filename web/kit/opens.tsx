// Buttons that open a menu, or a box, below them. What draws those is loaded with the first press.
import { cloneElement, lazy, Suspense, useState, type ReactElement, type ReactNode, type Ref } from 'react';

const Menu = lazy(async () => ({ default: (await import('./opens-menu.tsx')).OpenedMenu }));
const Box = lazy(async () => ({ default: (await import('./opens-box.tsx')).OpenedBox }));

/** Takes what a native button takes. */
type ButtonElement = ReactElement<{ ref?: Ref<HTMLElement>; onClick?: () => void; 'aria-haspopup'?: 'menu' | 'dialog'; 'aria-expanded'?: boolean }>;

export interface MenuItem {
  label: string;
  icon?: ReactNode;
  onAct: () => void;
}

export interface OpensMenuProps {
  /** What is pressed. */
  button: ButtonElement;
  /** Above the items. */
  head?: string;
  items: readonly MenuItem[];
  width?: number;
}

export function OpensMenu(props: OpensMenuProps) {
  const [isAsked, setAsked] = useState(false);
  const closed = cloneElement(props.button, { 'aria-haspopup': 'menu', 'aria-expanded': false, onClick: () => setAsked(true) });
  return isAsked ? (
    <Suspense fallback={closed}>
      <Menu {...props} />
    </Suspense>
  ) : (
    closed
  );
}

export interface OpensBoxProps {
  button: ButtonElement;
  /** Pixels. */
  width: number;
  /** A function gets `close`. */
  children: ReactNode | ((close: () => void) => ReactNode);
}

export function OpensBox(props: OpensBoxProps) {
  const [isAsked, setAsked] = useState(false);
  const closed = cloneElement(props.button, { 'aria-haspopup': 'dialog', 'aria-expanded': false, onClick: () => setAsked(true) });
  return isAsked ? (
    <Suspense fallback={closed}>
      <Box {...props} />
    </Suspense>
  ) : (
    closed
  );
}
