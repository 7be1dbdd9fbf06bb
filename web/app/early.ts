// What somebody did on a page that a server had rendered, before its scripts ran: it is done again, in its order.

/** By web/first.js, which also ends its listening then. */
type Early = () => Event[];

export function doEarly(): void {
  for (const event of asEarly(window)?.() ?? []) {
    const { type, target } = event;
    if (!(target instanceof HTMLElement) || !target.isConnected) continue;
    // React takes the part of the page over that an event is about; nothing of ours listens to this one.
    target.dispatchEvent(new MouseEvent('auxclick', { bubbles: true, button: 1 }));
    if (type === 'click') clicked(target);
    if (type === 'input') typed(target);
    if (event instanceof KeyboardEvent) target.dispatchEvent(new KeyboardEvent(type, event));
  }
}

function clicked(target: HTMLElement): void {
  // The browser followed a link by itself, and clicked what a label is of.
  if (target.closest('a[href]') || (target.closest('label') && !(target instanceof HTMLInputElement))) return;
  // It is changed already: once more would change it back.
  if (isChecked(target)) target.checked = !target.checked;
  target.click();
}

/** React took the field over with what is in it, and saw no change. */
function typed(target: HTMLElement): void {
  if (isChecked(target) || !(target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement)) return;
  const { value } = target;
  target.value = '';
  // React watches the property of the element; this is that of all of them.
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(target), 'value')?.set?.call(target, value);
  target.dispatchEvent(new Event(target instanceof HTMLSelectElement ? 'change' : 'input', { bubbles: true }));
}

const isChecked = (target: HTMLElement): target is HTMLInputElement =>
  target instanceof HTMLInputElement && (target.type === 'checkbox' || target.type === 'radio');

// Safe: web/first.js leaves it there; absent where the source is served (web/build/dev.ts).
function asEarly(at: Window): Early | undefined {
  return (at as { svcEarly?: Early }).svcEarly;
}
