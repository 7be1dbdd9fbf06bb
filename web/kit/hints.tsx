// What an element with `data-hint` says, and a time exactly, when one points at it or reaches it by the
// keyboard. One element for the whole page: a list of a thousand times costs nothing until one of them is
// looked at.
import { useEffect, useRef } from 'react';
import { exact } from './time.ts';
import styles from './hints.module.css';

const DELAY_MS = 300;
const GAP_PX = 6;
const ID = 'hint';

export function Hints() {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => (ref.current ? showHints(ref.current) : undefined), []);
  return <div ref={ref} id={ID} role="tooltip" popover="manual" className={styles.hint} />;
}

/** @returns what ends it */
function showHints(box: HTMLElement): () => void {
  let of: Element | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const hide = (): void => {
    clearTimeout(timer);
    of?.removeAttribute('aria-describedby');
    of = undefined;
    if (box.matches(':popover-open')) box.hidePopover();
  };
  const show = (): void => {
    const text = of && hintOf(of);
    if (!of?.isConnected || !text) return hide();
    box.textContent = text;
    if (of.getAttribute('aria-label') !== text) of.setAttribute('aria-describedby', ID);
    box.showPopover();
    place(box, of.getBoundingClientRect());
  };
  const meet = ({ target, type }: Event): void => {
    const element = target instanceof Element ? (target.closest('[data-hint], time[datetime]') ?? undefined) : undefined;
    if (element === of) return;
    hide();
    if (!element || (type === 'focusin' && !element.matches(':focus-visible'))) return;
    of = element;
    timer = setTimeout(show, DELAY_MS);
  };
  const onKey = ({ key }: KeyboardEvent): void => void (key === 'Escape' && hide());
  const events: [string, (event: never) => void][] = [
    ['pointerover', meet],
    ['focusin', meet],
    ['focusout', hide],
    ['keydown', onKey],
    ['scroll', hide],
    // Announced again where the click changed it: "Copied".
    ['click', () => (of ? (timer = setTimeout(show, 0)) : undefined)],
  ];
  for (const [name, act] of events) document.addEventListener(name, act as EventListener, { capture: true, passive: true });
  return () => {
    hide();
    for (const [name, act] of events) document.removeEventListener(name, act as EventListener, { capture: true });
  };
}

function hintOf(element: Element): string | undefined {
  return element instanceof HTMLTimeElement ? exact(element.dateTime) : (element.getAttribute('data-hint') ?? undefined);
}

/** Above it, or below where there is no room; never beyond the edge of the window. */
function place(box: HTMLElement, at: DOMRect): void {
  const { width, height } = box.getBoundingClientRect();
  const left = Math.max(GAP_PX, Math.min(at.left + at.width / 2 - width / 2, window.innerWidth - width - GAP_PX));
  const above = at.top - height - GAP_PX;
  box.style.left = `${left}px`;
  box.style.top = `${above < GAP_PX ? at.bottom + GAP_PX : above}px`;
}
