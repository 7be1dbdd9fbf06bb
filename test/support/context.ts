// A context for verbs under test: a database of its own, real drivers in a temporary folder, real users.
// Temporal and the host are addresses where nothing listens, as when they are down; tests that cross them
// pass their own.
import { randomBytes } from 'node:crypto';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { followers } from '#core/followers.ts';
import type { Ctx, UserActor } from '#core/kernel/ctx.ts';
import { newId } from '#core/kernel/ids.ts';
import { startListener } from '#core/jobs/wakeups.ts';
import { createPool } from '#db/pool.ts';
import type { Lookup } from '#drivers/outbound/lookup.ts';
import { openDrivers, openPayments, openTraces } from '#drivers/open.ts';
import type { TemporalOptions } from '#drivers/workflows/temporal.ts';
import { testDatabase } from './servers.ts';
import { addUser, userActor } from './verbs.ts';

/** Somebody's context. */
export type TestUser = Ctx & { actor: UserActor };

export interface TestContext {
  /** The platform itself. */
  ctx: Ctx;
  databaseUrl: string;
  stateDir: string;
  /** Temporal's own client, to look at what ran. */
  temporal: Client;
  /** A new user, and the context in which they act. */
  user(name?: string): Promise<TestUser>;
  close(): Promise<void>;
}

/** By which tests sign what hostings send. */
export const WEBHOOK_SECRET = 'a secret of the tests';

const nowhere: TemporalOptions = { address: '127.0.0.1:1', namespace: 'svc' };

export interface ContextOptions {
  temporal?: TemporalOptions;
  hostSocket?: string;
  databaseUrl?: string;
  connections?: number;
  /** Where agents may be imported from. */
  importLocalHosts?: readonly string[];
  /** Where push notifications may go. */
  pushLocalHosts?: readonly string[];
  /** Where model providers may be. */
  llmLocalHosts?: readonly string[];
  /** Where organizations' identity providers may be. */
  ssoLocalHosts?: readonly string[];
  /** Default: the system's name servers. */
  lookup?: Lookup;
  /** Name servers of custom domains; default: an address where nothing listens. */
  dnsServers?: readonly string[];
  /** The state of a process that runs: its key and its storage are used, and stay. */
  folder?: string;
}

export async function testContext({
  temporal = nowhere,
  hostSocket,
  databaseUrl,
  connections,
  folder,
  importLocalHosts,
  pushLocalHosts,
  llmLocalHosts,
  ssoLocalHosts,
  lookup,
  dnsServers = ['127.0.0.1:1'],
}: ContextOptions = {}): Promise<TestContext> {
  const url = databaseUrl ?? (await testDatabase()).url;
  const stateDir = folder ?? (await stateFolder());
  const secretsDir = join(stateDir, 'secrets');
  const db = createPool({ connectionString: url, ...(connections === undefined ? {} : { max: connections }) });
  const [drivers, wakeups] = await Promise.all([
    openDrivers({
      stateDir,
      secretsDir,
      hostSocket: hostSocket ?? join(stateDir, 'run', 'host.sock'),
      temporal,
      // Workers of tests, and tests themselves, read what is there.
      encryptsPayloads: false,
      importLocalHosts,
      pushLocalHosts,
      llmLocalHosts,
      ssoLocalHosts,
      lookup,
      dnsServers,
    }),
    startListener(url),
  ]);
  const payments = await openPayments({ kind: 'builtin', baseUrl: 'http://localhost:8080' }, { db, vault: drivers.vault });
  const ctx: Ctx = {
    actor: { kind: 'platform', service: 'test' },
    config: { baseUrl: 'http://localhost:8080', agentsDomain: 'localhost:8080', scmWebhookSecret: WEBHOOK_SECRET },
    db,
    drivers: { ...drivers, payments, wakeups, traces: openTraces(db) },
    followers,
    clock: Date.now,
    requestId: newId('req'),
  };
  return {
    ctx,
    databaseUrl: url,
    stateDir,
    temporal: drivers.workflows.client,
    user: async (name = 'ada') => ({ ...ctx, actor: userActor(await addUser(db, name), name) }),
    close: async () => {
      await wakeups.close();
      await drivers.agentPools.close();
      await drivers.remote.close();
      await drivers.workflows.close();
      await db.destroy();
      if (folder === undefined) await rm(stateDir, { recursive: true, force: true });
    },
  };
}

/** The folder of a process of the platform, with a key of its own, or with all that another one holds. */
export async function stateFolder(from?: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-ctx-'));
  if (from === undefined) return newState(folder);
  await cp(from, folder, { recursive: true });
  return folder;
}

export async function newState(folder: string): Promise<string> {
  await mkdir(join(folder, 'secrets'), { mode: 0o700 });
  await writeFile(join(folder, 'secrets', 'platform.key'), randomBytes(32).toString('base64url'), { mode: 0o600 });
  return folder;
}
