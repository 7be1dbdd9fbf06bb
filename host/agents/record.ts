// What an instance leaves on disk so that a restarted host takes it back: how it was started, and its identity apart (0600).
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { DATABASE_PORT } from '#contract/wire/database.ts';
import type { Identity } from '../guest/config.ts';
import type { StartInput } from '#drivers/runtime/port.ts';
import { Identity as IdentityShape, StartBody, Withheld } from '#drivers/runtime/wire.ts';
import { readJson, writeAtomic } from '../resources/files.ts';

const InstanceRecord = StartBody.omit({ env: true, secrets: true, inject: true, api_key: true, grant_key: true, setup_key: true }).extend({
  /** `starting` until the card was read: such an instance is not taken back. */
  phase: z.enum(['starting', 'ready']),
  /** Name of the runtime image it was last started on. */
  runtime: z.string().default('unknown'),
  card: z.unknown(),
  started_at: z.number(),
  last_used_at: z.number(),
  /** Waiting runs at the time it was put to sleep; while it sleeps, only this record has the number. */
  waiting: z.int().min(0).default(0),
});
export type InstanceRecord = z.infer<typeof InstanceRecord>;

export const recordOf = (
  { env: _env, secrets: _secrets, inject: _inject, api_key: _key, grant_key: _grantKey, setup_key: _setupKey, ...rest }: StartInput,
  now: number,
): InstanceRecord => ({
  ...rest,
  phase: 'starting',
  runtime: 'unknown',
  card: null,
  started_at: now,
  last_used_at: now,
  waiting: 0,
});

export const identityOf = ({ env, secrets, api_key, grant_key, databases = [] }: StartInput): Identity => ({
  env,
  secrets,
  api_key,
  grant_key,
  ...(databases.length > 0 && { database_port: DATABASE_PORT }),
});

export const saveRecord = (dir: string, record: InstanceRecord): Promise<void> => writeAtomic(join(dir, 'instance.json'), JSON.stringify(record));

export const withheldOf = ({ inject = [], setup_key }: StartInput): Withheld => ({ inject, ...(setup_key !== undefined && { setup_key }) });

export async function createRecord(dir: string, record: InstanceRecord, identity: Identity, withheld: Withheld): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o711 });
  await writeAtomic(join(dir, 'identity.json'), JSON.stringify({ ...identity, ...withheld }));
  await saveRecord(dir, record);
}

export async function loadRecord(dir: string): Promise<{ record: InstanceRecord; identity: Identity; withheld: Withheld } | undefined> {
  const record = await readJson(join(dir, 'instance.json'), InstanceRecord);
  const identity = await readJson(join(dir, 'identity.json'), IdentityShape);
  const withheld = await readJson(join(dir, 'identity.json'), Withheld);
  return record === undefined || identity === undefined || withheld === undefined ? undefined : { record, identity, withheld };
}
