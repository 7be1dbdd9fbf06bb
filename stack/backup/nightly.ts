// The nightly backup: a part of its own, which sleeps until its time. What failed is tried again each hour.
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { readSettings } from '../settings.ts';
import { readResult } from './last-result.ts';
import { runBackup } from './run.ts';
import { messageOf } from './target.ts';
import { nextBackup } from './next-time.ts';

const Environment = z.object({
  SVC_BACKUP_TO: z.string().min(1),
  SVC_BACKUP_AT: z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'use HH:MM').default('03:00'),
  SVC_BACKUP_KEEP: z.coerce.number().int().min(1).default(7),
}); // prettier-ignore

const settings = readSettings(process.env);
const { SVC_BACKUP_TO: to, SVC_BACKUP_AT: at, SVC_BACKUP_KEEP: keep } = Environment.parse(process.env);
const stop = new AbortController();
for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => stop.abort());
const print = (line: string): void => console.log(line);

while (!stop.signal.aborted) {
  const due = nextBackup({ now: new Date(), at, last: readResult(settings.stateDir) });
  print(`The next backup to ${to} begins at ${due.toISOString()}.`);
  // In pieces: the clock may be set, or the machine sleep, meanwhile.
  while (!stop.signal.aborted && Date.now() < due.getTime())
    await delay(Math.min(60_000, Math.max(1, due.getTime() - Date.now())), undefined, { signal: stop.signal }).catch(() => undefined);
  if (stop.signal.aborted) break;
  await runBackup(settings, { to, keep, database: settings.inherited.SVC_BACKUP_DATABASE !== 'false', print, signal: stop.signal }).catch((error: unknown) =>
    print(`The backup failed: ${messageOf(error)}`),
  );
}
