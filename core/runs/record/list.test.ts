// The one list in each of its orders: every row once, however the pages are cut.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RUN_SORTS, type RunRowOut } from '#contract/runs/my-runs.ts';
import { workflowOfRun } from '#core/jobs/of-run.ts';
import { addAgent, testCtx, userActor, addUser } from '#test/support/verbs.ts';
import { createPool } from '#db/pool.ts';
import { testDatabase } from '#test/support/servers.ts';
import { type ListRunsIn, listRuns } from './list.ts';

const db = createPool({ connectionString: (await testDatabase()).url });
afterAll(() => db.destroy());
let ada: string;
const BEGAN = Date.parse('2026-11-01T00:00:00Z');
const at = (ms: number): string => new Date(BEGAN + ms).toISOString();

beforeAll(async () => {
  ada = await addUser(db, 'ada');
  const ben = await addUser(db, 'ben');
  const [own, other] = [await addAgent(db, ada, { live: true }), await addAgent(db, ben, { live: true })];
  const receipt = (n: number, more: { agent: string; run: string; caller: string; micros?: number; ms: number }) => ({
    receipt_id: `rcp_${n}`, agent_id: more.agent, seq: n, source: 'platform' as const, kid: 'k', token: 't', payload_sha256: '', skill: 'greet', status: 'ok' as const,
    payload: JSON.stringify({ agent: { version: '2.0.0' }, ...(more.micros !== undefined && { charge: { amount_micros: more.micros } }) }),
    caller_kind: 'user', caller_user_id: more.caller, run_id: more.run, started_at: at(n * 10), ended_at: at(n * 10 + more.ms), duration_ms: more.ms, created_at: at(n * 10),
  }); // prettier-ignore
  // Several at one instant, with one duration, with one cost.
  const plain = Array.from({ length: 24 }, (_, n) =>
    receipt(n % 5, { agent: n % 2 ? own.id : other.id, run: `run_p${n}`, caller: n % 4 === 1 ? ben : ada, micros: (n % 4) * 100, ms: (n % 6) * 50 }),
  ).map((row, n) => ({ ...row, receipt_id: `rcp_p${n}`, seq: n }));
  await db('receipts').insert(plain);
  for (let n = 0; n < 6; n += 1) {
    const run_id = `run_d${n}`;
    const isOver = n < 4;
    await db('jobs').insert({
      job_id: `job_d${n}`, kind: 'run', state: isOver ? 'succeeded' : 'running', title: 'Durable', owner_id: ada, agent_id: other.id, agent_name: other.name,
      workflow_id: workflowOfRun(run_id), input: JSON.stringify({ run_id, skill: 'greet' }), created_at: at(n * 7), started_at: at(n * 7), ended_at: isOver ? at(n * 7 + 125) : null,
    }); // prettier-ignore
    if (isOver) await db('receipts').insert({ ...receipt(100 + n, { agent: other.id, run: run_id, caller: ada, micros: n * 100, ms: 120 }) });
  }
  await db('jobs').insert({ job_id: 'job_plan', kind: 'dag', state: 'running', title: 'A plan', owner_id: ada, input: JSON.stringify({ dag_run_id: 'dag_1' }), created_at: at(3) }); // prettier-ignore
  await db('subagent_runs').insert({
    grant_id: 'grt_1', owner_id: ada, agent_name: 'painter', skill: 'paint', caller_agent: 'builder', source: 'reported',
    reported: JSON.stringify({ state: 'succeeded', ended_at: at(500) }), started_at: at(20),
  }); // prettier-ignore
});

async function all(query: Partial<ListRunsIn>, limit = 100): Promise<RunRowOut[]> {
  const ctx = testCtx(db, { actor: userActor(ada) });
  const rows: RunRowOut[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await listRuns(ctx, { sort: 'newest', probes: false, ...query, limit, cursor });
    rows.push(...page.items);
    if (page.next_cursor === null) return rows;
    cursor = page.next_cursor;
  }
}

const VALUE = {
  newest: ({ created_at }: RunRowOut) => -Date.parse(created_at),
  oldest: ({ created_at }: RunRowOut) => Date.parse(created_at),
  longest: ({ duration_ms }: RunRowOut) => -(duration_ms ?? 0),
  costliest: ({ cost_micros }: RunRowOut) => -(cost_micros ?? 0),
};

test.each(RUN_SORTS)('%s: in order, and each row once through pages of four', async (sort) => {
  const whole = await all({ sort });
  const values = whole.map(VALUE[sort]);
  expect(values).toEqual(values.toSorted((a, b) => a - b));
  const paged = (await all({ sort }, 4)).map(({ id }) => id);
  expect(paged).toEqual(whole.map(({ id }) => id));
  expect(new Set(paged).size).toBe(paged.length);
  // 24 calls, 6 durable runs, a plan, a reported call, a deployment.
  expect(paged.length).toBe({ newest: 33, oldest: 33, longest: 30, costliest: 21 }[sort]);
});

test('a durable run says its version and its cost, in every order; a plan and a reported call lead to their pages', async () => {
  for (const sort of RUN_SORTS)
    expect((await all({ sort })).find(({ id }) => id === 'run_d3')).toMatchObject({ kind: 'run', job_id: 'job_d3', version: '2.0.0', cost_micros: 300 });
  expect(await all({ kind: 'dag' })).toMatchObject([{ plan_id: 'dag_1', job_id: 'job_plan' }]);
  expect(await all({ caller: 'agent' })).toMatchObject([{ id: 'grt_1', kind: 'reported', caller: { kind: 'agent', name: 'builder' }, duration_ms: 480 }]);
});

test('at least so much, and no cursor of another order', async () => {
  const costs = (await all({ min_cost_micros: 200 })).map(({ cost_micros: cost }) => cost);
  expect([costs.length, Math.min(...costs.map(Number))]).toEqual([14, 200]);
  const ctx = testCtx(db, { actor: userActor(ada) });
  const { next_cursor: cursor } = await listRuns(ctx, { sort: 'newest', probes: false, limit: 4 });
  await expect(listRuns(ctx, { sort: 'oldest', probes: false, limit: 4, cursor: cursor ?? '' })).rejects.toMatchObject({ code: 'bad_cursor' });
});
