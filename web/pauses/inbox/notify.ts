// A notification of the browser for each decision that begins to wait, while a page of the dashboard is open.
// Asked for in the inbox, kept in this browser.
const STORAGE_KEY = 'svc.notify';

export type Notifying = 'on' | 'off' | 'refused' | 'unknown';

/** unknown: this browser has none, or not on a page without https. */
export function notifying(): Notifying {
  if (!('Notification' in window)) return 'unknown';
  if (Notification.permission === 'denied') return 'refused';
  return Notification.permission === 'granted' && localStorage.getItem(STORAGE_KEY) === 'on' ? 'on' : 'off';
}

/** Asks the reader, where they were not asked before. */
export async function switchOn(): Promise<Notifying> {
  if ((await Notification.requestPermission()) === 'granted') localStorage.setItem(STORAGE_KEY, 'on');
  return notifying();
}

export function switchOff(): Notifying {
  localStorage.removeItem(STORAGE_KEY);
  return notifying();
}

export interface NewWait {
  wait_id: string;
  title: string;
}

let known: Set<string> | undefined;

/** Those that did not wait when it was asked before; the first time: none. */
export function newOnes(waits: readonly NewWait[]): NewWait[] {
  const before = known;
  known = new Set(waits.map(({ wait_id }) => wait_id));
  return before ? waits.filter(({ wait_id }) => !before.has(wait_id)) : [];
}

const MOST_AT_ONCE = 5;

export function notify(waits: readonly NewWait[], onOpen: (wait: string) => void): void {
  if (notifying() !== 'on') return;
  for (const { wait_id, title } of waits.slice(0, MOST_AT_ONCE)) {
    // One for each, however many tabs are open.
    const shown = new Notification(title.slice(0, 120), { tag: wait_id, body: 'Open the inbox to answer.' });
    shown.onclick = () => {
      window.focus();
      onOpen(wait_id);
      shown.close();
    };
  }
}
