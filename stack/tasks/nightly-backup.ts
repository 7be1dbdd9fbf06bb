// The nightly backup: a part of its own, which sleeps until its time. What failed is tried again each hour.
import { setTimeout as delay } from 'node:timers/promises';
import { readSettings } from '../settings.ts';
import { readResult } from '../backup/last-result.ts';
import { nextBackup } from '../backup/next-time.ts';
import { runBackup } from '../backup/run.ts';
import { messageOf } from '../backup/report.ts';

const settings = readSettings(process.env);
const { SVC_BACKUP_TO: to, SVC_BACKUP_AT: at, SVC_BACKUP_KEEP: keep, SVC_BACKUP_DATABASE: database, stateDir } = settings;
if (to === undefined) throw new Error('SVC_BACKUP_TO is not set: there is nowhere to back up to.');
const stop = new AbortController();
const { signal } = stop;
for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => stop.abort());
const print = (line: string): void => console.log(line);

while (!signal.aborted) {
  const due = nextBackup({ now: new Date(), at, last: readResult(stateDir) });
  print(`The next backup to ${to} begins at ${due.toISOString()}.`);
  // In pieces: the clock may be set, or the machine sleep, meanwhile.
  while (!signal.aborted && Date.now() < due.getTime())
    await delay(Math.min(60_000, Math.max(1, due.getTime() - Date.now())), undefined, { signal }).catch(() => undefined);
  if (!signal.aborted)
    await runBackup(settings, { to, keep, database, print, signal }).catch((error: unknown) => print(`The backup failed: ${messageOf(error)}`));
}
