// One line about a part, for people.
import { styleText } from 'node:util';
import type { PartRecord } from '../records.ts';

const colours = {
  healthy: 'green',
  done: 'green',
  skipped: 'gray',
  waiting: 'gray',
  stopped: 'gray',
  starting: 'yellow',
  unhealthy: 'red',
  restarting: 'red',
} as const;

export function describePart(record: PartRecord): string {
  const { part, state, address = '', process: running, since, restarts, note } = record;
  const pid = running ? `pid ${running.pid}` : '';
  const age = since === undefined ? '' : duration(Date.now() - since);
  const again = restarts > 0 ? `restarted ${restarts === 1 ? 'once' : `${restarts} times`}` : '';
  const rest = [address, pid, age, again, note].filter(Boolean).join('  ');
  return `${part.padEnd(11)} ${styleText(colours[state], state.padEnd(10))} ${rest}`.trimEnd();
}

/** 42 s, 5 min, 3 h, 2 d: as much as one needs to know of an age. */
function duration(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}
