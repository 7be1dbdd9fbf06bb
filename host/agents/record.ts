// What an instance leaves on disk so that a restarted host takes it back: how it was started, and apart,
// encrypted, what is secret.
import { createHmac } from 'node:crypto';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { DATABASE_PORT } from '#contract/wire/database.ts';
import type { Identity } from '../guest/config.ts';
import { parseJson } from '#drivers/runtime/lines.ts';
import type { StartInput } from '#drivers/runtime/port.ts';
import type { Vault } from '#drivers/vault/port.ts';
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

export async function createRecord(dir: string, record: InstanceRecord, confidential: Confidential, vault: Vault): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o711 });
  await writeConfidential(dir, record.instance_id, confidential, vault);
  await saveRecord(dir, record);
}

export async function loadRecord(dir: string, vault: Vault): Promise<({ record: InstanceRecord } & Confidential) | undefined> {
  const record = await readJson(join(dir, 'instance.json'), InstanceRecord);
  if (record === undefined) return undefined;
  await encryptPlain(dir, record.instance_id, vault);
  const encrypted = await readFile(encryptedFile(dir), 'utf8').catch(() => undefined);
  // Sealed with another key, or altered: such an instance cannot be taken back.
  const opened = encrypted === undefined ? undefined : await vault.open(encrypted, contextOf(record.instance_id)).catch(() => undefined);
  const confidential = opened === undefined ? undefined : ConfidentialShape.safeParse(parseJson(Buffer.from(opened).toString()));
  return confidential?.success === true ? { record, ...confidential.data } : undefined;
}

/** Names what a machine was given without telling it: a snapshot is used only for the same. */
export async function versionOf({ env, secrets }: Identity, vault: Vault): Promise<string> {
  const sorted = [env, secrets].map((values) => Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return createHmac('sha256', await vault.derive('versions of secrets'))
    .update(JSON.stringify(sorted))
    .digest('base64url');
}

const ConfidentialShape = z.object({ identity: IdentityShape, withheld: Withheld });
/** What of an instance is secret. */
type Confidential = z.infer<typeof ConfidentialShape>;

const encryptedFile = (dir: string): string => join(dir, 'identity.sealed');
const contextOf = (instanceId: string): string => `host:${instanceId}:identity`;

async function writeConfidential(dir: string, instanceId: string, { identity, withheld }: Confidential, vault: Vault): Promise<void> {
  await writeAtomic(encryptedFile(dir), await vault.seal(Buffer.from(JSON.stringify({ identity, withheld })), contextOf(instanceId)));
}

/** Hosts before version 0.2 wrote it as it was. */
async function encryptPlain(dir: string, instanceId: string, vault: Vault): Promise<void> {
  const plain = join(dir, 'identity.json');
  const identity = await readJson(plain, IdentityShape);
  const withheld = await readJson(plain, Withheld);
  if (identity !== undefined && withheld !== undefined) await writeConfidential(dir, instanceId, { identity, withheld }, vault);
  await rm(plain, { force: true });
}
