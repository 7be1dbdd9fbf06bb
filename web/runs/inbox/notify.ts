// A notification of the browser for each run that begins to wait, while a page of the dashboard is open. Asked for in the inbox, kept in this browser.
const KEPT = 'svc.notify';

export type Notifying = 'on' | 'off' | 'refused' | 'unknown';

/** unknown: this browser has none, or not on a page without https. */
export function notifying(): Notifying {
  if (!('Notification' in window)) return 'unknown';
  if (Notification.permission === 'denied') return 'refused';
  return Notification.permission === 'granted' && localStorage.getItem(KEPT) === 'on' ? 'on' : 'off';
}

/** Asks the reader, where they were not asked before. */
export async function switchOn(): Promise<Notifying> {
  if ((await Notification.requestPermission()) === 'granted') localStorage.setItem(KEPT, 'on');
  return notifying();
}

export function switchOff(): Notifying {
  localStorage.removeItem(KEPT);
  return notifying();
}

export interface WaitingJob {
  job_id: string;
  title: string;
  last_seq: number;
}

let known: Set<string> | undefined;
const keyOf = ({ job_id, last_seq }: WaitingJob): string => `${job_id}:${last_seq}`;

/** Those that wait and did not when it was asked before; the first time: none. */
export function newOnes(jobs: readonly WaitingJob[]): WaitingJob[] {
  const before = known;
  known = new Set(jobs.map(keyOf));
  return before ? jobs.filter((job) => !before.has(keyOf(job))) : [];
}

export function notify(jobs: readonly WaitingJob[], onOpen: () => void): void {
  if (notifying() !== 'on') return;
  for (const { job_id, title } of jobs) {
    // One for each job, however many tabs are open.
    const shown = new Notification(`${title.slice(0, 120)} waits for you`, { tag: job_id, body: 'Open the inbox to answer.' });
    shown.onclick = () => {
      window.focus();
      onOpen();
      shown.close();
    };
  }
}
