// Runs that ask a lot at once, over HTTP, with as many connections to the database as the API has in
// production: each gets its turn, and none of them takes the connections that everybody else needs.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { MAX_OPEN_WAITS } from '#core/pauses/wait/bounds.ts';
import { mintRunCredential } from '#core/runs/run/credential.ts';
import { API_CONNECTIONS, createPool } from '#db/pool.ts';
import { liveAgent, type LiveAgent, runOf } from '#test/support/runs.ts';
import { addUser } from '#test/support/verbs.ts';
import { createWorld, type World } from '#test/api/world.ts';

const RUNS = 50;
let world: World;
let agent: LiveAgent;
let userId: string;
/** Somebody at the database who is not the API. */
let beside: Knex;

beforeAll(async () => {
  world = await createWorld({ connections: API_CONNECTIONS });
  userId = await addUser(world.ctx.db);
  agent = await liveAgent(world.ctx, userId);
  beside = createPool({ connectionString: world.databaseUrl, max: 2, applicationName: 'beside' });
});
afterAll(async () => {
  await beside.destroy();
  await world.close();
});

interface Run {
  id: string;
  token: string;
}

async function newRun(of: LiveAgent = agent): Promise<Run> {
  const { actor } = runOf(world.ctx, of, userId);
  return { id: actor.run_id, token: await mintRunCredential(world.ctx.drivers.vault, actor, Date.now() + 600_000) };
}

function send(run: Run, question_id = `qst_${randomUUID()}`): Promise<Response> {
  return fetch(`${world.url}/run/v1/questions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${run.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ question_id, prompt: 'Which?', timeout_seconds: 600 }),
  });
}

async function statusOf(answer: Promise<Response>): Promise<number> {
  const response = await answer;
  await response.arrayBuffer();
  return response.status;
}

/** As the SDK does: honours Retry-After. */
async function ask(run: Run): Promise<number> {
  const id = `qst_${randomUUID()}`;
  for (;;) {
    const response = await send(run, id);
    await response.arrayBuffer();
    if (response.status !== 429) return response.status;
    await pause(Number(response.headers.get('retry-after')) * 1000);
  }
}
/** What a person's page asks for. */
const look = (): Promise<number> => statusOf(fetch(`${world.url}/v1/me/activity`, { headers: { authorization: `Bearer ${world.tokens.ben}` } }));
const blocked = async (): Promise<number> => {
  const { rows } = await beside.raw<{ rows: { n: number }[] }>(
    `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows[0]?.n ?? 0;
};
const times = <T>(n: number, make: () => T): T[] => Array.from({ length: n }, make);
const count = (values: readonly number[]): Record<string, number> =>
  Object.fromEntries([...new Set(values)].map((v) => [v, values.filter((w) => w === v).length]));

test('fifty runs ask twenty questions each at the same moment: all are asked, and people are answered meanwhile', async () => {
  const runs = await Promise.all(times(RUNS, () => newRun()));
  expect(count(await Promise.all(runs.map(ask)))).toEqual({ 201: RUNS });
  const asked = await beside.transaction(async (hold) => {
    // As long as this lasts, no run's question can be written down.
    await hold('runs')
      .whereIn(
        'run_id',
        runs.map(({ id }) => id),
      )
      .forUpdate()
      .select('run_id');
    const all = Promise.all(runs.flatMap((run) => times(MAX_OPEN_WAITS - 1, () => ask(run))));
    await vi.waitFor(async () => expect(await blocked()).toBeGreaterThan(1), { timeout: 20_000 });
    for (let n = 0; n < 20; n += 1) expect(await look()).toBe(200);
    expect(await blocked()).toBeLessThanOrEqual(API_CONNECTIONS / 2);
    return { all };
  });
  expect(count(await asked.all)).toEqual({ 201: RUNS * (MAX_OPEN_WAITS - 1) });
  const { rows } = await beside.raw<{ rows: { waits: number; runs: number }[] }>(
    `select count(*)::int as waits, count(distinct run_id)::int as runs from waits where state = 'pending' and agent_id = ?`,
    [agent.id],
  );
  expect(rows[0]).toEqual({ waits: RUNS * MAX_OPEN_WAITS, runs: RUNS });
});

test('a run that sends without end gets Retry-After; another author’s run is served between', async () => {
  const [flood, other] = [await newRun(), await newRun(await liveAgent(world.ctx, await addUser(world.ctx.db)))];
  expect([await ask(flood), await ask(other)]).toEqual([201, 201]);
  const held = await beside.transaction(async (hold) => {
    await hold('runs').where({ run_id: flood.id }).forUpdate().select('run_id');
    let refused = 0;
    const all = Promise.all(
      times(400, async () => {
        const answer = await send(flood);
        if (answer.status === 429) refused += 1;
        return answer;
      }),
    );
    await vi.waitFor(async () => expect([await blocked(), refused > 0]).toEqual([1, true]), { timeout: 20_000 });
    expect([await ask(other), await look()]).toEqual([201, 200]);
    return { all };
  });
  const answers = await held.all;
  const statuses = count(answers.map(({ status }) => status));
  expect(statuses).toMatchObject({ 201: MAX_OPEN_WAITS - 1 });
  expect(Object.keys(statuses).toSorted()).toEqual(['201', '409', '429']);
  const refused = answers.find(({ status }) => status === 429);
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await refused?.json()).toMatchObject({ detail: { code: 'run_busy' } });
});
