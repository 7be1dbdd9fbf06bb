// Who lives in a world and what they have, which takes seconds to make: a process makes it once, and each
// world gets a copy of its database and folder.
import { rm } from 'node:fs/promises';
import { newPlatformToken } from '#core/identity/secret.ts';
import { newId } from '#core/kernel/ids.ts';
import { hashSecret } from '#core/kernel/secret.ts';
import { newState, stateFolder, testContext, type TestContext } from '../support/context.ts';
import { serveGreeter } from '../support/greeter.ts';
import type { LiveAgent } from '../support/runs.ts';
import { scimTokenOf } from '../support/scim.ts';
import { dropDatabases, keepDatabase, runFolder, testDatabase } from '../support/servers.ts';
import { addAgent, type TestAgent } from '../support/verbs.ts';
import { lastingRecords, type Records } from './records.ts';

export type Who = 'ada' | 'ben' | 'operator' | 'platform' | 'agent' | 'scim';

export interface People {
  /** Id of her account. */
  ada: string;
  /** Hers; one that can serve has an instance. */
  agent: TestAgent | LiveAgent;
  lasting: Records;
  tokens: Record<Who, string>;
}

export async function settle({ ctx, user }: Pick<TestContext, 'ctx' | 'user'>, serving: boolean): Promise<People> {
  const idOf = async (name: string): Promise<string> => (await user(name)).actor.user_id;
  const [ada, ben, operator] = [await idOf('ada'), await idOf('ben'), await idOf('operator')];
  await ctx.db('users').where({ user_id: operator }).update({ operator: true });
  const greeter = serving ? await serveGreeter(ctx, ada) : undefined;
  const agent = greeter?.agent ?? (await addAgent(ctx.db, ada, { live: true }));
  const lasting = await lastingRecords(ctx, ada, agent);
  await greeter?.stop();
  const tokens: Record<Who, string> = {
    ada: await token(ctx, 'user', ada),
    ben: await token(ctx, 'user', ben),
    operator: await token(ctx, 'user', operator),
    platform: await token(ctx, 'platform', null),
    agent: await token(ctx, 'agent_api', ada, agent.id),
    scim: await scimTokenOf(ctx.db, lasting.records),
  };
  return { ada, agent, lasting, tokens };
}

async function token(
  { db }: TestContext['ctx'],
  kind: 'user' | 'platform' | 'agent_api',
  user_id: string | null,
  agent_id: string | null = null,
): Promise<string> {
  const made = newPlatformToken();
  await db('platform_tokens').insert({ token_id: newId('tok'), token_hash: hashSecret(made), kind, user_id, agent_id, label: 'test' });
  return made;
}

interface Settled {
  people: People;
  database: string;
  folder: string;
  madeAt: number;
}

/** Questions of the records are open for ten minutes. */
const GOOD_FOR_MS = 180_000;

/** A context on these options has the people; `end` removes its folder. */
export async function copyOfWorld(serving: boolean): Promise<{ people: People; options: { databaseUrl: string; folder: string }; end(): Promise<void> }> {
  const kept = settledWorlds();
  const known = kept.get(serving);
  if (known !== undefined && Date.now() - known.madeAt > GOOD_FOR_MS) {
    kept.delete(serving);
    await discard(known);
  }
  const { people, ...from } = kept.get(serving) ?? (await makeSettled(kept, serving));
  const folder = await stateFolder(from.folder);
  const { url } = await testDatabase(from.database);
  return { people, options: { databaseUrl: url, folder }, end: () => rm(folder, { recursive: true, force: true }) };
}

async function makeSettled(kept: Map<boolean, Settled>, serving: boolean): Promise<Settled> {
  const [{ name, url }, folder] = [await testDatabase(), await newState(await runFolder())];
  const it = await testContext({ databaseUrl: url, folder });
  const people = await settle(it, serving).finally(() => it.close());
  keepDatabase(name);
  const settled = { people, database: name, folder, madeAt: Date.now() };
  kept.set(serving, settled);
  return settled;
}

async function discard({ database, folder }: Settled): Promise<void> {
  await dropDatabases([database]);
  await rm(folder, { recursive: true, force: true });
}

/** By whether Ada's agent answers calls. Files may share a process without sharing this module. */
function settledWorlds(): Map<boolean, Settled> {
  const shared: typeof globalThis & { [SETTLED]?: Map<boolean, Settled> } = globalThis;
  return (shared[SETTLED] ??= new Map<boolean, Settled>());
}

const SETTLED: unique symbol = Symbol.for('svc.test.worlds');
