// The API is killed in the middle of a push, as a power cut would: the repository stays sound, git's user
// pushes again, and the commit is deployed once.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { clientOf } from '#contract/client.ts';
import { contract } from '#contract/index.ts';
import { sourceEditor } from '#contract/deploys/source-editor.ts';
import { sourceRepository } from '#core/agents/agent/repository.ts';
import { deployForgottenPushes } from '#core/deploys/repository/pending.ts';
import { hashSecret } from '#core/kernel/secret.ts';
import { newPlatformToken } from '#core/identity/secret.ts';
import { newId } from '#core/kernel/ids.ts';
import { gitIn, startGit } from '#drivers/scm/test/serve-git.ts';
import { type ApiProcess, startApiProcess } from '#test/support/api-process.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { greeterFiles } from '#test/support/project.ts';
import { testDatabase, testTemporal } from '#test/support/servers.ts';

const NAME = 'killed-push';
let box: string;
let folder: string;
let first: ApiProcess;
let api: ApiProcess;
const started: ApiProcess[] = [];
let t: TestContext;
let ada: TestUser;
let token: string;
let count = 0;
let restart: () => Promise<ApiProcess>;

beforeAll(async () => {
  const servers = { databaseUrl: (await testDatabase()).url, temporal: await testTemporal() };
  first = await startApiProcess({}, { servers });
  api = first;
  started.push(first);
  // The same disk, the same database: another process.
  const kept = { SVC_STATE_DIR: first.folder, SVC_SECRETS_DIR: join(first.folder, 'secrets') };
  restart = async () => {
    const again = await startApiProcess(kept, { servers });
    started.push(again);
    return again;
  };
  t = await testContext({ temporal: servers.temporal, databaseUrl: servers.databaseUrl, folder: first.folder, hostSocket: first.hostSocket });
  ada = await t.user('ada');
  token = newPlatformToken();
  const row = { token_id: newId('tok'), token_hash: hashSecret(token), kind: 'user' as const, user_id: ada.actor.user_id, agent_id: null, label: 'test' };
  await t.ctx.db('platform_tokens').insert(row);
  await clientOf(contract, { baseUrl: api.url, token }).agents.fromSource({ body: { name: NAME } });
  box = await mkdtemp(join(tmpdir(), 'svc-killed-push-'));
  folder = join(box, 'clone');
  await gitIn(box, ['init', '-q', '-b', 'main', folder]);
});
afterAll(async () => {
  for (const one of started) await one.kill();
  await t.close();
  await rm(box, { recursive: true, force: true });
});

async function address(): Promise<string> {
  const editor = clientOf({ sourceEditor }, { baseUrl: api.url, token }).sourceEditor;
  const made = await editor.createToken({ params: { name: NAME }, body: { mode: 'write' } });
  return `${api.url.replace('://', `://x:${made.token}@`)}/git/${NAME}.git`;
}

async function commit(version: string): Promise<string> {
  const files = { ...greeterFiles(NAME, version), 'data.txt': randomBytes(2_000_000).toString('base64') };
  for (const [path, content] of Object.entries(files)) await writeFile(join(folder, path), content);
  await gitIn(folder, ['add', '-A']);
  await gitIn(folder, ['commit', '-q', '-m', version]);
  return (await gitIn(folder, ['rev-parse', 'HEAD'])).out.trim();
}

const deploymentsOf = (head: string) => t.ctx.db('deployments').where({ source_commit: head }).select('deploy_id');
const repository = (): string => join(first.folder, 'git', `${sourceRepository(ada.actor.user_id, NAME)}.git`);
/** Housekeeping half a minute from now. */
const later = () => deployForgottenPushes({ ...t.ctx, clock: () => Date.now() + 30_000 });

/**
 * No worker deploys here: an accepted push waits for its deployment; the test is done once that is queued.
 */
async function pushUntilQueued(head: string): Promise<void> {
  const child = startGit(folder, ['push', await address(), 'main']);
  const ended = once(child, 'exit');
  await vi.waitFor(
    async () => {
      if ((await deploymentsOf(head)).length > 0) return;
      expect(child.exitCode, 'up to date, or still at it').toBe(0);
    },
    { timeout: 60_000, interval: 50 },
  );
  child.kill();
  await ended;
}

const is = (head: string): boolean => {
  try {
    return execFileSync('git', ['--git-dir', repository(), 'rev-parse', 'main'], { encoding: 'utf8', stdio: 'pipe' }).trim() === head;
  } catch {
    return false;
  }
};
/**
 * Nobody writes to this table until it is let go; what a dead process was about to write is not written then.
 */
const heldTable = (table: string) => async (): Promise<() => Promise<void>> => {
  const tx = await t.ctx.db.transaction();
  await tx.raw(`lock table ${table} in share row exclusive mode`);
  return async () => {
    await tx.raw('select pg_terminate_backend(pid) from pg_locks where not granted and relation = ?::regclass', [table]);
    await tx.rollback();
  };
};
const isHeldAt = async (table: string): Promise<boolean> =>
  (await t.ctx.db.raw('select 1 from pg_locks where not granted and relation = ?::regclass', [table])).rows.length > 0;
/** git's own lock, which nobody takes for a forgotten one. */
async function heldBranch(): Promise<() => Promise<void>> {
  const [lock, later] = [join(repository(), 'refs', 'heads', 'main.lock'), new Date(Date.now() + 3_600_000)];
  await writeFile(lock, '');
  await utimes(lock, later, later);
  return () => rm(lock);
}

interface Point {
  /** Keeps the push from going further. */
  hold?: () => Promise<() => Promise<void>>;
  isReached: (head: string) => Promise<boolean>;
}
/** How far the push has come. */
const POINTS: Record<string, Point> = {
  'when its objects have come': { hold: heldTable('source_pushes'), isReached: () => isHeldAt('source_pushes') },
  'when it is noted': {
    hold: heldBranch,
    isReached: async (head) => (await t.ctx.db('source_pushes').where({ commit_id: head }).first('agent_id')) !== undefined,
  },
  'when the branch has it': { hold: heldTable('deployments'), isReached: async (head) => is(head) && (await isHeldAt('deployments')) },
  'when its deployment is queued': { isReached: async (head) => (await deploymentsOf(head)).length > 0 },
};

test.each(Object.entries(POINTS))('killed %s: sound, pushed again, deployed once', async (_, { hold, isReached }) => {
  const head = await commit(`1.0.${(count += 1)}`);
  const to = await address();
  const letGo = await hold?.();
  const child = startGit(folder, ['push', to, 'main']);
  const ended = once(child, 'exit');
  await vi.waitFor(async () => expect(await isReached(head)).toBe(true), { interval: 20 });
  api.process.kill('SIGKILL');
  await ended;
  await letGo?.();
  api = await restart();
  // What git began for it may still be at its end.
  await vi.waitFor(() => execFileSync('git', ['--git-dir', repository(), 'fsck', '--full', '--strict'], { stdio: 'pipe' }), { timeout: 30_000, interval: 500 });
  await pushUntilQueued(head);
  await later();
  expect(await deploymentsOf(head)).toHaveLength(1);
  await later();
  expect(await deploymentsOf(head)).toHaveLength(1);
  expect(await t.ctx.db('source_pushes')).toEqual([]);
  expect(is(head)).toBe(true);
});
