// `status`: what the supervisor notes about each part, checked against the processes that really live.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { insecureAddress } from '#contract/wire/secure-context.ts';
import { lacksRoom } from '#drivers/room.ts';
import { baseUrl } from '../environment.ts';
import { isAlive } from '../process.ts';
import { describeImage, guestImages } from '../guest-images.ts';
import { recordedParts, type PartRecord } from '../records.ts';
import { places, type Settings } from '../settings.ts';
import { describePart } from './describe.ts';
import { describeResult, readResult } from '../backup/last-result.ts';
import { runningServer } from '../postgres.ts';
import { describeServer } from '../postgres-server.ts';
import { livingSupervisor } from './up.ts';

/** Answers 0 when everything is up and well, else 1. */
export async function status(settings: Settings, options: { json: boolean }, print: (line: string) => void): Promise<number> {
  const { run, postgres: dir } = places(settings.stateDir);
  const postgres =
    settings.DATABASE_URL === undefined ? describeServer({ data: join(dir, 'data'), cacheDir: settings.cacheDir }, runningServer(dir)?.program) : undefined;
  const images = await guestImages(settings.cacheDir);
  const supervisor = livingSupervisor(settings);
  const records = existsSync(run) ? recordedParts(run).map(asItIs) : [];
  const full = lacksRoom(settings.stateDir);
  const lastBackup = readResult(settings.stateDir);
  const insecure = insecureAddress(baseUrl(settings));
  const well = supervisor !== undefined && full === undefined && records.every(({ state }) => state === 'healthy' || state === 'done' || state === 'skipped');
  if (options.json) {
    const parts = records.map(({ process: running, since, ...record }) => ({
      ...record,
      ...(running ? { pid: running.pid } : {}),
      ...(since === undefined ? {} : { age_seconds: Math.floor((Date.now() - since) / 1000) }),
    }));
    const problems = { ...(full !== undefined && { disk_full: full }), ...(insecure !== undefined && { sign_in: insecure }) };
    print(
      JSON.stringify(
        {
          up: well,
          ...problems,
          supervisor: supervisor ? { pid: supervisor.process.pid } : null,
          parts,
          database: postgres ?? null,
          images,
          backup: lastBackup ?? null,
        },
        null,
        2,
      ),
    );
    return well ? 0 : 1;
  }
  for (const record of records) print(describePart(record));
  if (postgres !== undefined) print(postgres);
  for (const image of images) print(describeImage(image));
  if (supervisor) print(describeResult(lastBackup));
  if (full !== undefined) print(full);
  if (insecure !== undefined) print(insecure);
  if (!supervisor)
    print(
      records.some(({ process: running }) => running) ? 'The supervisor is gone; `npm run up` takes the running parts over.' : 'Nothing is up: `npm run up`.',
    );
  return well ? 0 : 1;
}

/** A process that ended without its supervisor noticing does not run, whatever the record says. */
function asItIs(record: PartRecord): PartRecord {
  if (record.process === undefined || isAlive(record.process)) return record;
  const { process: _, since: __, ...rest } = record;
  return { ...rest, state: 'stopped', note: 'its process has ended' };
}
