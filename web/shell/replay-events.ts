// What somebody does on a page that a server has rendered, until its scripts have taken all of it over: it is
// held, and then done in its order.

interface QueuedEvent {
  event: Event;
  target: EventTarget;
  /** What the field had in it then, where it was one. */
  value?: string;
  /** Whether it was on then, where it could be. */
  checked?: boolean;
}

/** Of web/first.js, which holds events from the page's first moment on. */
interface EventQueue {
  events: QueuedEvent[];
  /** False: events go where they belong. */
  holds: boolean;
}

/** A page whose parts do not come answers with those that are there. */
const LONGEST_MS = 3_000;

export async function replayEvents(root: HTMLElement): Promise<void> {
  const until = performance.now() + LONGEST_MS;
  while (isPartlyServers(root) && performance.now() < until) await soon();
  const queue = eventQueueOf(window);
  for (let next = queue?.events.shift(); queue && next; next = queue.events.shift()) {
    queue.holds = false;
    redo(next);
    queue.holds = true;
    // What it changed is rendered before the next one, as between those of a person.
    await soon();
  }
  if (queue) queue.holds = false;
  root.removeAttribute('data-rendered');
}

function redo({ event, target, value, checked }: QueuedEvent): void {
  const { type } = event;
  if (!(target instanceof HTMLElement) || !target.isConnected) return;
  if (type === 'click') clicked(target, checked);
  if (type === 'input') changed(target, value);
  if (event instanceof KeyboardEvent) target.dispatchEvent(new KeyboardEvent(type, event));
}

function clicked(target: HTMLElement, wanted: boolean | undefined): void {
  // The browser clicked what a label is of.
  if (target.closest('label') && !(target instanceof HTMLInputElement)) return;
  if (isChecked(target)) target.checked = !wanted;
  target.click();
}

function changed(target: HTMLElement, value = ''): void {
  const isText = target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type !== 'file' && !isChecked(target));
  // React watches the property of the element, and would see no change; this is that of all of them.
  if (isText) Object.getOwnPropertyDescriptor(Object.getPrototypeOf(target), 'value')?.set?.call(target, value);
  if (target instanceof HTMLSelectElement) target.value = value;
  if (!isChecked(target)) target.dispatchEvent(new Event(isText ? 'input' : 'change', { bubbles: true }));
}

const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

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

// Safe: where React's fields are missing, the wait ends after LONGEST_MS.
function topOf(root: HTMLElement): Fiber | undefined {
  const key = Object.keys(root).find((name) => name.startsWith('__reactContainer$'));
  const of = root as unknown as Record<string, { stateNode?: { current?: Fiber } } | undefined>;
  return key === undefined ? undefined : of[key]?.stateNode?.current;
}

// Safe: web/first.js leaves it there; absent where the source is served (web/build/dev.ts).
function eventQueueOf(at: Window): EventQueue | undefined {
  return (at as { svcHeld?: EventQueue }).svcHeld;
}
