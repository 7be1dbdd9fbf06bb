// Whatever removes rows on its own leaves what a legal hold or a longer policy keeps, and takes the same of
// others. And a removal that dies after any of its batches goes on where it was, and counts once.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Readable } from 'node:stream';
import { appendEvents } from '#core/jobs/append-event.ts';
import { createJob } from '#core/jobs/create.ts';
import { archiveJob, removeArchives } from '#core/jobs/retention/archive.ts';
import { transitionJob } from '#core/jobs/transition.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import { newId } from '#core/kernel/ids.ts';
import { inTx } from '#core/kernel/tx.ts';
import { expire } from '#core/platform/housekeeping/expire.ts';
import { retainDecisions } from '#core/policy/cedar/decisions.ts';
import { retainScores } from '#core/quality/evaluation/score-runs.ts';
import { retainSpans } from '#core/runs/trace/retain.ts';
import { storeBlob } from '#core/workspace/blob/store.ts';
import { CompliancePolicyIn } from '#contract/orgs/compliance.ts';
import { testContext, type TestContext } from '#test/support/context.ts';
import { addAgent, type TestAgent } from '#test/support/verbs.ts';
import { putPolicy } from './policy/put.ts';
import { enforceRetention } from './retention/enforce.ts';
import { removedBy } from './retention/read.ts';
import { endRetention, removeContents } from './retention/steps.ts';
import { DAY, organizationOf, type TestOrganization } from './test/world.ts';

let t: TestContext;
let acme: TestOrganization;
let agent: TestAgent;
beforeAll(async () => {
  t = await testContext();
  acme = await organizationOf(t);
  agent = await addAgent(t.ctx.db, acme.id, { live: true });
});
afterAll(() => t.close());

/** Rows of 100 days ago that the platform removes on its own. */
async function oldRows(of: TestAgent, ownerId: string): Promise<void> {
  const { db } = t.ctx;
  const at = new Date(Date.now() - 100 * DAY);
  const deploy = (await db('agents').where({ agent_id: of.id }).first('live_deploy_id'))?.live_deploy_id ?? '';
  const run_id = newId('run');
  const run = { run_id, agent_id: of.id, agent_name: of.name, deploy_id: deploy, skill: 'work', caller_kind: 'anonymous', depth: 0, state: 'failed' as const };
  await db('runs').insert({ ...run, started_at: at, ended_at: at, chain: [], kind: 'started' });
  const { sha256, size_bytes } = await storeBlob(t.ctx, Readable.from([Buffer.from(of.name)]), 100);
  await db('artifacts').insert({
    artifact_id: newId('art'),
    run_id,
    agent_id: of.id,
    name: 'a.txt',
    mime_type: 'text/plain',
    sha256,
    size_bytes,
    created_at: at,
  });
  const request = JSON.stringify({ principal: { type: 'User', id: ownerId }, resource: { type: 'Agent', name: of.name }, context: {} });
  const decided = { action: 'deploy' as const, outcome: 'allow' as const, reasons: [], rules_version: 1, policy_hash: 'h', request, decided_at: at };
  await db('policy_decisions').insert({ ...decided, decision_id: newId('pdc', at.getTime()), owner_id: ownerId });
  await db('run_scores').insert({ agent_id: of.id, rule: 'r', run_id, deploy_id: deploy, passed: true, score: 1, reason: null, scored_at: at });
  await db('scored_contents').insert({ run_id, agent_id: of.id, args: '{}', result: '1', kept_at: at });
  await db('agent_memories').insert({ agent_id: of.id, user_id: acme.as.owner.actor.user_id, namespace: 'n', key: 'k', value: '1', size_bytes: 1, search_text: '', expires_at: at }); // prettier-ignore
  await db.raw(`insert into spans (kept_at, run_id, trace_id, span_id, owner_id, agent_name, source, name, kind, start_ns, end_ns, status, attributes, events) values (?, ?, 't', 's', ?, ?, 'agent', 'x', 'internal', 1, 2, 'ok', '{}', '[]')`, [at, run_id, ownerId, of.name]); // prettier-ignore
  const job_id = await inTx(t.ctx, (ctx) => createJob(ctx, { kind: 'run', title: 'Run', ownerId, agent: of }));
  await appendEvents(db, job_id, [{ kind: 'run.text_delta', payload: {} }]);
  await transitionJob(db, job_id, { from: ['queued'], to: 'succeeded' });
  await db('jobs').where({ job_id }).update({ ended_at: at });
  await archiveJob(t.ctx, job_id);
}

const TABLES: [string, string][] = [
  ['artifacts', 'x.agent_id = :agent'],
  ['policy_decisions', 'x.owner_id = :owner'],
  ['run_scores', 'x.agent_id = :agent'],
  ['scored_contents', 'x.agent_id = :agent'],
  ['agent_memories', 'x.agent_id = :agent'],
  ['spans', 'x.owner_id = :owner'],
  ['job_archives', 'x.removed_at is null and x.job_id in (select job_id from jobs where agent_id = :agent)'],
];
async function left(of: TestAgent, owner: string): Promise<string[]> {
  const found: string[] = [];
  for (const [table, where] of TABLES) {
    const { rows } = await t.ctx.db.raw<{ rows: unknown[] }>(`select 1 from ${table} x where ${where} limit 1`, { agent: of.id, owner });
    if (rows.length > 0) found.push(table);
  }
  return found;
}
async function passes(ctx: Ctx): Promise<void> {
  await expire(ctx.db, ctx.clock());
  await removeArchives(ctx, { days: 30, limit: 1000 });
  await retainDecisions(ctx);
  await retainScores(ctx);
  await retainSpans(ctx);
}
const save = (more: object) => putPolicy(acme.as.owner, { slug: acme.slug, ...CompliancePolicyIn.parse({ frameworks: [], retention_days: 10, ...more }) });
const all = TABLES.map(([table]) => table);

test('passes of the platform take what nobody keeps, and leave what an organization does', async () => {
  const other = (await t.user('other')).actor.user_id;
  const theirs = await addAgent(t.ctx.db, other, { live: true });
  await oldRows(agent, acme.id);
  await oldRows(theirs, other);
  expect([await left(agent, acme.id), await left(theirs, other)]).toEqual([all, all]);
  await save({ version: 0, legal_hold: true });
  await passes(t.ctx);
  expect([await left(agent, acme.id), await left(theirs, other)]).toEqual([all, []]);
  // What says itself when it goes is kept by a hold alone.
  await save({ version: 1, retention_days: 365 });
  await passes(t.ctx);
  expect(await left(agent, acme.id)).toEqual(all.filter((table) => table !== 'scored_contents' && table !== 'agent_memories'));
  await save({ version: 2 });
  await passes(t.ctx);
  expect(await left(agent, acme.id)).toEqual([]);
});

test('a removal that dies after each of its batches removes all of it once, and says how much', async () => {
  const { as, slug, id } = await organizationOf(t);
  const of = await addAgent(t.ctx.db, id, { live: true });
  for (let n = 0; n < 3; n += 1) await oldRows(of, id).catch(() => undefined);
  await putPolicy(as.owner, { slug, ...CompliancePolicyIn.parse({ frameworks: [], retention_days: 10, version: 0 }) });
  const dry = await enforceRetention(as.owner, { slug, dry_run: true });
  expect(Object.keys(dry.counts).length).toBeGreaterThan(3);
  const { purge_id, job_id } = await enforceRetention(as.owner, { slug, dry_run: false });
  const platform: Ctx = { ...t.ctx, actor: { kind: 'platform', service: 'compliance' } };
  let deaths = 0;
  for (let done = false; !done;) {
    let beats = 0;
    done = await removeContents(platform, purge_id ?? '', () => {
      beats += 1;
      throw new Error('the process died here');
    }).then(
      () => true,
      () => false,
    );
    deaths += beats;
  }
  expect(deaths).toBeGreaterThan(3);
  await Promise.all([endRetention(platform, purge_id ?? ''), endRetention(platform, purge_id ?? '')]);
  const counts = await removedBy(t.ctx.db, job_id ?? '');
  for (const [table, n] of Object.entries(dry.counts)) if (table !== 'job_archives' && table !== 'jobs') expect(counts[table], table).toBe(n);
  expect(await t.ctx.db('audit_log').where({ target_id: id, action: 'compliance.purge_ended' })).toHaveLength(1);
  expect((await enforceRetention(as.owner, { slug, dry_run: true })).counts).toEqual({});
});
