// A purge on a real Temporal server, a real database, a real repository and a real storage. Every step of it
// is done twice, as after a crash that came between its effect and its record.
import { Readable } from 'node:stream';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createActivities } from '#activities/index.ts';
import { createPurgeActivities } from '#activities/purge.ts';
import { cancelJob } from '#core/runs/job/cancel.ts';
import { sourceRepository } from '#core/agents/agent/repository.ts';
import { appendReceipt } from '#core/evidence/receipt/sign.ts';
import { verifiedReceipt } from '#core/evidence/receipt/verify.ts';
import { inTx } from '#core/kernel/tx.ts';
import { recordsOf } from '#test/api/records.ts';
import { liveAgent, type LiveAgent } from '#test/support/runs.ts';
import { postgresServer } from '#drivers/databases/postgres.ts';
import { cites } from '#test/spec/verifies.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { dyingOnce } from '#test/support/dying-activities.ts';
import { recordHistory } from '#test/support/record-history.ts';
import { scriptedRuntime } from '#test/support/scripted-runtime.ts';
import { testTemporal } from '#test/support/servers.ts';
import { facts } from '#test/support/verbs.ts';
import { startTestWorkers } from '#test/support/workers.ts';
import { putControlPolicy } from '../control-policy/put.ts';
import { listUsers } from '../user/list.ts';
import { purgeUsers } from './request.ts';

let t: TestContext;
let stopWorker: () => Promise<void>;
let startWorker: () => Promise<() => Promise<void>>;
let operator: TestUser;
/** Set: each activity fails once after it has done its work. */
let twice = false;

beforeAll(async () => {
  const temporal = await testTemporal();
  const made = await testContext({ temporal });
  const drivers = { ...made.ctx.drivers, runtime: scriptedRuntime(), sandbox: undefined, databases: postgresServer({ adminUrl: made.databaseUrl }) };
  t = { ...made, ctx: { ...made.ctx, drivers } };
  operator = await asOperator('op');
  const settings = { node: 'local', buildsAtOnce: 1, retention: { archiveAfterDays: 30, removeAfterDays: 365 } };
  const activities = { ...createActivities(t.ctx, settings), ...dyingOnce(createPurgeActivities(t.ctx), { dies: () => twice }) };
  // Every queue: the plan of the records has steps, and these are runs that end on their own.
  startWorker = () => startTestWorkers(temporal, activities);
  stopWorker = await startWorker();
});
afterAll(async () => {
  await stopWorker();
  await t.close();
});

async function asUser(name: string): Promise<TestUser> {
  const user = await t.user(name);
  return { ...user, drivers: t.ctx.drivers };
}
async function asOperator(name: string): Promise<TestUser> {
  const user = await asUser(name);
  await t.ctx.db('users').where({ user_id: user.actor.user_id }).update({ operator: true });
  return { ...user, actor: { ...user.actor, operator: true } };
}
const ended = async (job_id: string) => {
  const row = () => t.ctx.db('jobs').where({ job_id }).first();
  await vi.waitFor(async () => expect((await row())?.ended_at).not.toBeNull(), { timeout: 150_000, interval: 100 });
  return row();
};

/** Every row of every table, as text. */
async function dump(): Promise<Record<string, string[]>> {
  const { rows } = await t.ctx.db.raw<{ rows: { name: string }[] }>(
    `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  const all: Record<string, string[]> = {};
  for (const { name } of rows)
    all[name] = (await t.ctx.db.raw<{ rows: { line: string }[] }>(`select t::text as line from ?? t`, [name])).rows.map(({ line }) => line);
  return all;
}
const tablesWith = async (text: string): Promise<string[]> =>
  Object.entries(await dump()).flatMap(([name, lines]) => (lines.some((line) => line.includes(text)) ? [name] : []));

/**
 * Something of everything, an agent that another person has called, its repository and a source in the
 * storage.
 */
async function fullAccount(): Promise<{ ada: TestUser; ben: TestUser; agent: LiveAgent; receipt: string; source: string; repository: string }> {
  const [ada, ben] = [await asUser('ada'), await asUser('ben')];
  const agent = await liveAgent(t.ctx, ada.actor.user_id, { visibility: 'public' });
  await recordsOf(t.ctx, ada.actor.user_id, agent);
  // Some jobs of the records have names of workflows, but none was started.
  const never = ['deploy', 'adversarial_review_loop'];
  await t.ctx.db('jobs').where({ owner_id: ada.actor.user_id }).whereIn('kind', never).whereNull('ended_at').update({ workflow_id: null });
  const caller = { kind: 'user' as const, id: ben.actor.user_id, userId: ben.actor.user_id };
  const { token: receipt } = await inTx(t.ctx, (ctx) => appendReceipt(ctx, facts(agent, { caller })));
  const source = 'sources/of-ada.tar.gz';
  await t.ctx.drivers.storage.put(source, Readable.from([Buffer.from('source')]));
  await t.ctx.db('deployments').where({ agent_id: agent.id }).update({ source_key: source });
  const repository = sourceRepository(ada.actor.user_id, agent.name);
  const folder = await mkdtemp(join(tmpdir(), 'svc-purge-'));
  await writeFile(join(folder, 'svc.yaml'), 'name: x\n');
  const author = { name: 'ada', email: ada.actor.email };
  await t.ctx.drivers.scm.commitTree({ repository, folder, branch: 'main', message: 'one', author });
  await rm(folder, { recursive: true });
  return { ada, ben, agent, receipt, source, repository };
}

test(
  'everything of the account goes, though every step comes twice; what others hold proof of stays without the person',
  { ...cites('admin.purgeUsers') },
  async () => {
    const { ada, ben, agent, receipt, source, repository } = await fullAccount();
    const theirs = await recordsOf(t.ctx, ben.actor.user_id, await liveAgent(t.ctx, ben.actor.user_id));
    const before = await dump();
    const histories = async () => (await t.temporal.workflow.count(`SvcOwner = '${ada.actor.user_id}'`)).count;
    // One of theirs that has ended: the engine keeps its history.
    const of = { type: 'nobodyKnows', workflowId: `run:of-${ada.actor.user_id}`, taskQueue: 'nobody', args: [] };
    await t.ctx.drivers.workflows.start({ ...of, searchAttributes: { SvcKind: 'run', SvcOwner: ada.actor.user_id } });
    await t.temporal.workflow.getHandle(of.workflowId).terminate();
    await vi.waitFor(async () => expect(await histories()).toBeGreaterThan(0), { timeout: 20_000, interval: 100 });
    twice = true;
    const { job_id, state } = await purgeUsers(operator, { user_ids: ada.actor.user_id });
    expect(state).toBe('queued');
    const job = await ended(job_id);
    twice = false;
    expect(job).toMatchObject({ state: 'succeeded', kind: 'purge' });
    const { removed } = Object(job?.output) as { removed: Record<string, number> };
    // Counted once, though done twice.
    const rowsOf = (lines: string[] | undefined) => lines?.filter((line) => line.includes(ada.actor.user_id)).length;
    expect(removed).toMatchObject({
      schedules: rowsOf(before.schedules),
      threads: rowsOf(before.threads),
      files: rowsOf(before.files),
    });
    expect(removed['agent_secrets']).toBeGreaterThan(0);
    // Nowhere an address of the person; their id only where it leads to nobody.
    expect(await tablesWith(ada.actor.email)).toEqual([]);
    const allowed = ['agents', 'audit_log', 'control_policies', 'deployments', 'job_events', 'jobs', 'open_workflows', 'outbox', 'receipts', 'users'];
    // What was paid is kept, as the law of most places asks; the test's payment processor keeps its own.
    const books = [
      'charges',
      'invoices',
      'ledger_accounts',
      'payout_lines',
      'payout_transfers',
      'subscriptions',
      'top_ups',
      'test_money_objects',
      'test_money_requests',
    ];
    expect((await tablesWith(ada.actor.user_id)).filter((name) => ![...allowed, ...books].includes(name))).toEqual([]);
    expect(await t.ctx.db('users').where({ user_id: ada.actor.user_id }).first()).toMatchObject({ email: '', name: null, issuer: 'purged', operator: false });
    // The name is not given to anybody else; the receipt that Ben holds verifies.
    expect(await t.ctx.db('agents').where({ agent_id: agent.id }).first()).toMatchObject({ name: agent.name, description: '', card: null, skills: [] });
    expect(await verifiedReceipt(t.ctx.db, receipt)).toBeDefined();
    expect(await t.ctx.db('receipts').where({ token: receipt })).toHaveLength(1);
    // Outside the database.
    expect(await t.ctx.drivers.storage.exists(source)).toBe(false);
    await expect(t.ctx.drivers.scm.archive({ repository, commit: 'main' })).rejects.toThrow();
    await vi.waitFor(async () => expect(await histories()).toBe(0), { timeout: 20_000, interval: 100 });
    // Ben has all that he had.
    expect(await t.ctx.db('schedules').where({ owner_id: ben.actor.user_id }).first()).toBeDefined();
    expect(await t.ctx.db('threads').where({ thread_id: theirs.records['thread_id'] ?? '' })).toHaveLength(1);
    // It is no account any more.
    expect((await listUsers(operator, { limit: 100 })).items.map(({ user_id }) => user_id)).not.toContain(ada.actor.user_id);
    await expect(purgeUsers(operator, { user_ids: ada.actor.user_id })).rejects.toMatchObject({ code: 'user_not_found' });
    const workflow = job?.workflow_id ?? '';
    await recordHistory(t.temporal, workflow, 'purgeAccounts.ended');
  },
);

test('the worker goes away in the middle: the purge goes on where it was', async () => {
  const { ada } = await fullAccount();
  await stopWorker();
  const { job_id } = await purgeUsers(operator, { user_ids: ada.actor.user_id });
  stopWorker = await startWorker();
  await vi.waitFor(async () => expect((await t.ctx.db('jobs').where({ job_id }).first())?.state).not.toBe('queued'), { timeout: 30_000, interval: 20 });
  await expect(cancelJob(operator, { job_id })).rejects.toMatchObject({ code: expect.stringMatching(/^(purge_under_way|job_ended)$/) });
  await stopWorker();
  stopWorker = await startWorker();
  expect(await ended(job_id)).toMatchObject({ state: 'succeeded' });
  expect(await tablesWith(ada.actor.email)).toEqual([]);
});

test('until it has begun it can be cancelled, and nothing happens', async () => {
  const ada = await asUser('ada');
  await stopWorker();
  const { job_id } = await purgeUsers(operator, { user_ids: ada.actor.user_id });
  await expect(purgeUsers(operator, { user_ids: ada.actor.user_id })).rejects.toMatchObject({ code: 'purge_under_way' });
  expect(await cancelJob(operator, { job_id })).toMatchObject({ state: 'cancelled' });
  stopWorker = await startWorker();
  const workflow = (await t.ctx.db('jobs').where({ job_id }).first())?.workflow_id ?? '';
  await t.temporal.workflow.getHandle(workflow).result();
  await recordHistory(t.temporal, workflow, 'purgeAccounts.cancelled');
  expect(await t.ctx.db('users').where({ user_id: ada.actor.user_id }).first()).toMatchObject({ email: ada.actor.email });
  expect(await t.ctx.db('control_policies').where({ user_id: ada.actor.user_id })).toEqual([]);
});

test('operators cannot purge themselves, the last operators cannot purge each other, and only operators purge', async () => {
  const other = await asOperator('other');
  await expect(purgeUsers(operator, { user_ids: operator.actor.user_id })).rejects.toMatchObject({ code: 'own_account' });
  await expect(purgeUsers(await asUser('ada'), { user_ids: other.actor.user_id })).rejects.toMatchObject({ code: 'operator_required' });
  await expect(purgeUsers(operator, { user_ids: 'usr_none' })).rejects.toMatchObject({ code: 'user_not_found' });
  await t.ctx.db('users').where({ operator: true }).whereNotIn('user_id', [operator.actor.user_id, other.actor.user_id]).update({ operator: false });
  await stopWorker();
  const both = await Promise.allSettled([purgeUsers(operator, { user_ids: other.actor.user_id }), purgeUsers(other, { user_ids: operator.actor.user_id })]);
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(both.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'last_operator' } });
  const made = both.find((one) => one.status === 'fulfilled');
  const by = both[0]?.status === 'fulfilled' ? operator : other;
  await cancelJob(by, { job_id: made?.value.job_id ?? '' });
  stopWorker = await startWorker();
});

test('a purged account cannot be let in again', async () => {
  const { user_id } = (await t.ctx.db('users').where({ issuer: 'purged' }).first()) ?? { user_id: '' };
  const limits = { agents: null, schedules: null, concurrent_runs: null, calls_per_minute: null };
  const free = { suspended: false, may_deploy: true, may_publish: true, may_call_external: true, limits, reason: '', version: 1 };
  await expect(putControlPolicy(operator, { user_id, ...free })).rejects.toMatchObject({ code: 'user_not_found' });
});
