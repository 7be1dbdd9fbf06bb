// What somebody does on a page that a server has rendered, until its scripts have taken all of it over: it is held, and then done in its order.

/** By web/first.js, which holds events from the page's first moment on; a call ends that. */
type Held = () => Event[];

/** A page whose parts do not come answers with those that are there. */
const LONGEST_MS = 3_000;

export async function doHeld(root: HTMLElement): Promise<void> {
  const until = performance.now() + LONGEST_MS;
  while (isPartlyServers(root) && performance.now() < until) await new Promise((resolve) => setTimeout(resolve));
  root.removeAttribute('data-rendered');
  for (const event of asHeld(window)?.() ?? []) {
    const { type, target } = event;
    if (!(target instanceof HTMLElement) || !target.isConnected) continue;
    if (type === 'click') clicked(target);
    if (type === 'input') changed(target);
    if (event instanceof KeyboardEvent) target.dispatchEvent(new KeyboardEvent(type, event));
  }
}

function clicked(target: HTMLElement): void {
  // The browser clicked what a label is of.
  if (target.closest('label') && !(target instanceof HTMLInputElement)) return;
  // It is changed already: once more would change it back.
  if (isChecked(target)) target.checked = !target.checked;
  target.click();
}

function changed(target: HTMLElement): void {
  const isText = target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type !== 'file' && !isChecked(target));
  if (isText) {
    // React took the field over with what is in it. It watches the property of the element; this is that of all of them.
    const { value } = target;
    target.value = '';
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(target), 'value')?.set?.call(target, value);
  }
  if (!isChecked(target)) target.dispatchEvent(new Event(isText ? 'input' : 'change', { bubbles: true }));
}

const isChecked = (target: HTMLElement): target is HTMLInputElement =>
  target instanceof HTMLInputElement && (target.type === 'checkbox' || target.type === 'radio');

/** A part of React's tree, as react-dom 19 has it. */
interface Fiber {
  child: Fiber | null;
  sibling: Fiber | null;
  memoizedState: unknown;
}

/** React takes a page over part by part, each as its scripts come, and has no event for it. */
function isPartlyServers(root: HTMLElement): boolean {
  const top = topOf(root);
  return top === undefined || hasServersPart(top);
}

function hasServersPart({ memoizedState: state, child }: Fiber): boolean {
  if (
    typeof state === 'object' &&
    state !== null &&
    (('dehydrated' in state && state.dehydrated !== null) || ('isDehydrated' in state && state.isDehydrated === true))
  )
    return true;
  for (let at = child; at; at = at.sibling) if (hasServersPart(at)) return true;
  return false;
}

// Safe: what is not there as expected counts as taken over.
function topOf(root: HTMLElement): Fiber | undefined {
  const key = Object.keys(root).find((name) => name.startsWith('__reactContainer$'));
  const of = root as unknown as Record<string, { stateNode?: { current?: Fiber } } | undefined>;
  return key === undefined ? undefined : of[key]?.stateNode?.current;
}

// Safe: web/first.js leaves it there; absent where the source is served (web/build/dev.ts).
function asHeld(at: Window): Held | undefined {
  return (at as { svcHeld?: Held }).svcHeld;
}
