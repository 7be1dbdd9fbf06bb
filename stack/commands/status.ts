// `status`: what is written about each part, checked against the processes that really live and their health now.
import { existsSync } from 'node:fs';
import { allParts, lastAddresses } from '../parts/all.ts';
import type { Part } from '../part.ts';
import { isAlive } from '../process.ts';
import { readRecord, type PartRecord } from '../records.ts';
import { places, type Settings } from '../settings.ts';
import { describePart } from './describe.ts';
import { livingSupervisor } from './up.ts';

/** Resolves with 0 when everything is up and well, else 1. */
export async function status(settings: Settings, options: { json: boolean }, print: (line: string) => void): Promise<number> {
  const { run } = places(settings.stateDir);
  const supervisor = livingSupervisor(settings);
  const records = existsSync(run) ? await Promise.all(knownParts(settings).map((part) => lookAt(part, run))) : [];
  const well = supervisor !== undefined && records.every(({ state }) => state === 'healthy' || state === 'done' || state === 'skipped');
  if (options.json) {
    const parts = records.map(({ process: running, since, ...record }) => ({
      ...record,
      ...(running ? { pid: running.pid } : {}),
      ...(since === undefined ? {} : { age_seconds: Math.floor((Date.now() - since) / 1000) }),
    }));
    print(JSON.stringify({ up: well, supervisor: supervisor ? { pid: supervisor.process.pid } : null, parts }, null, 2));
    return well ? 0 : 1;
  }
  for (const record of records) print(describePart(record));
  if (!supervisor) print(records.some(({ process: running }) => running) ? 'The supervisor is gone; `npm run up` takes the running parts over.' : 'Nothing is up: `npm run up`.');
  return well ? 0 : 1;
}

function knownParts(settings: Settings): Part[] {
  try {
    return allParts(settings, lastAddresses(settings));
  } catch {
    return []; // nothing was ever up: no ports were chosen
  }
}

async function lookAt(part: Part, run: string): Promise<PartRecord> {
  const record = readRecord(run, part.name) ?? { part: part.name, state: 'stopped' as const, restarts: 0 };
  if (part.kind !== 'service' || record.process === undefined) return record;
  if (isAlive(record.process)) return record;
  const { process: _, since: __, ...rest } = record;
  return { ...rest, state: 'stopped', note: 'its process has ended' };
}
