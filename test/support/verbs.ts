// Rows and bare contexts for tests of verbs; with real drivers: context.ts.
import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { createVault } from '#drivers/vault/key-file.ts';
import type { Vault } from '#drivers/vault/port.ts';
import { followers } from '#core/followers.ts';
import type { Actor, Ctx, UserActor } from '#core/kernel/ctx.ts';
import type { Drivers } from '#core/kernel/drivers.ts';
import { newId } from '#core/kernel/ids.ts';
import type { ReceiptFacts } from '#core/evidence/receipt/link.ts';

export function testCtx(
  db: Knex,
  { actor, vault = createVault([randomBytes(32)]), clock = Date.now, ...drivers }: { actor: Actor; vault?: Vault; clock?: () => number } & Partial<Drivers>,
): Ctx {
  return {
    actor,
    db,
    clock,
    requestId: newId('req'),
    config: { baseUrl: 'http://localhost:8080', agentsDomain: 'localhost:8080' },
    drivers: missing({ vault, ...drivers }),
    followers,
  };
}

// Safe: a driver that the test did not give is a clear error on first use, never a silent undefined. One
// given as undefined is not installed.
function missing(given: Partial<Drivers>): Drivers {
  return new Proxy(given, {
    get: (target, name, receiver) => {
      const driver: unknown = Reflect.get(target, name, receiver);
      if (driver === undefined && typeof name === 'string' && !(name in target)) throw new Error(`this test gave no driver "${name}"`);
      return driver;
    },
  }) as Drivers;
}

/** `name` starts their email address. */
export async function addUser(db: Knex, name = 'user'): Promise<string> {
  const user_id = newId('usr');
  await db('users').insert({ user_id, issuer: 'test', subject: user_id, email: emailOf(user_id, name) });
  return user_id;
}

export function userActor(user_id: string, name = 'user'): UserActor {
  return { kind: 'user', user_id, email: emailOf(user_id, name), operator: false, via: 'bearer' };
}

function emailOf(userId: string, name: string): string {
  return `${name}-${userId.slice(-12)}@example.test`;
}

export interface TestAgent {
  id: string;
  name: string;
}

/** A registered agent; `live` gives it a deployment that serves. */
export async function addAgent(
  db: Knex,
  ownerId: string,
  more: { visibility?: 'public' | 'unlisted'; live?: boolean; tags?: string[] } = {},
): Promise<TestAgent> {
  const id = newId('agt');
  const name = `agent-${id.slice(-12)}`;
  await db('agents').insert({ agent_id: id, name, owner_id: ownerId, kind: 'hosted', visibility: more.visibility ?? 'unlisted', tags: more.tags ?? [] });
  if (more.live === true) {
    const [job_id, deploy_id] = [newId('job'), newId('dep')];
    await db('jobs').insert({ job_id, kind: 'deploy', state: 'succeeded', title: 'Deploy', owner_id: ownerId, ended_at: new Date().toISOString() });
    await db('deployments').insert({
      deploy_id,
      agent_id: id,
      number: 1,
      state: 'live',
      job_id,
      created_by: ownerId,
      entrypoint: 'agent:Agent',
      manifest: '{}',
      source_key: 'sources/x',
      source_sha256: '0'.repeat(64),
      source_bytes: 1,
    });
    await db('agents').where({ agent_id: id }).update({ live_deploy_id: deploy_id, deploy_count: 1 });
  }
  return { id, name };
}

export function facts(agent: TestAgent, more: Partial<ReceiptFacts> = {}): ReceiptFacts {
  const now = Date.now();
  return {
    agent: { ...agent, version: '0.1.0', image: null },
    deployId: null,
    caller: { kind: 'user', id: null, userId: null },
    skill: 'slugify',
    inputSha256: 'a'.repeat(64),
    outputSha256: 'b'.repeat(64),
    status: 'ok',
    errorCode: null,
    startedAt: now - 5,
    endedAt: now,
    runtime: 'sha256:runtime',
    ...more,
  };
}
