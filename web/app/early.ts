// What somebody did on a page that a server had rendered, before its scripts ran: it is done now.

/** By web/first.js, which also ends its listening then. */
type Early = () => Event[];

export function doEarly(): void {
  for (const { type, target } of asEarly(window)?.() ?? []) {
    if (!(target instanceof HTMLElement) || !target.isConnected) continue;
    // The browser followed a link by itself.
    if (type === 'click' && !target.closest('a[href]')) target.click();
    if (type === 'input') typed(target);
  }
}

/** React takes a field over with what is in it, and sees no change. */
function typed(target: HTMLElement): void {
  if (!(target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) || target.type === 'checkbox' || target.type === 'radio') return;
  const { value } = target;
  // It takes over the part of the page that an event is about.
  target.dispatchEvent(new FocusEvent('focusin', { bubbles: true }));
  target.value = '';
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(target), 'value')?.set?.call(target, value);
  target.dispatchEvent(new Event('input', { bubbles: true }));
}

// Safe: web/first.js leaves it there; absent where its source is served.
function asEarly(at: Window): Early | undefined {
  return (at as { svcEarly?: Early }).svcEarly;
}
