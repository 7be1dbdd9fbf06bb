// The model that proposes calls: a real provider's wire on this machine, the owner's credential, and calls at
// a real agent.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ReviewLoopIn } from '#contract/studio/adversarial-review-loops.ts';
import { putCredential } from '#core/money/llm/put.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { serveGreeter, type ServingAgent } from '#test/support/greeter.ts';
import { type Provider, startProvider } from '#test/support/provider/provider.ts';
import { endLoop } from './end.ts';
import { readLoop } from './list.ts';
import { runProbe } from './probe.ts';
import { proposeCalls } from './propose.ts';
import { newScope } from './scope.ts';
import { startLoop } from './start.ts';
import { advanceLoop } from './step.ts';
import { openTarget } from './target.ts';

let t: TestContext;
let provider: Provider;
let ada: TestUser;
let greeter: ServingAgent;
beforeAll(async () => {
  provider = await startProvider();
  t = await testContext({ llmLocalHosts: [provider.host] });
  ada = await t.user('ada');
  greeter = await serveGreeter(t.ctx, ada.actor.user_id);
  const price = { input_micros_per_mtok: 1_000_000, cached_input_micros_per_mtok: 1_000_000, output_micros_per_mtok: 1_000_000_000 };
  await putCredential(ada, { name: 'main', provider: 'openai_compatible', base_url: provider.url, api_key: 'sk-0123456789abcdefghij', model: 'm-1', default: true, monthly_budget_micros: null, agent_run_budget_micros: null, price, probe: false }); // prettier-ignore
});
afterAll(async () => {
  await greeter.stop();
  await t.close();
  await provider.close();
});
beforeEach(() => void (provider.asked = []));

const never = new AbortController().signal;
const says = (...words: string[]) => void (provider.words = words);

async function opened(more: Partial<ReviewLoopIn> = {}) {
  const { name } = greeter.agent;
  const { job_id, model } = await startLoop(ada, { name, ...ReviewLoopIn.parse({ skills: ['greet'], iterations: 1, ...more }) });
  const row = await t.ctx.db('review_loops').where({ job_id }).first();
  if (!row) throw new Error('a loop was not written');
  const target = await openTarget(t.ctx, ada.actor.user_id, name, newScope());
  const events = async (kind: string) => (await t.ctx.db('job_events').where({ job_id, kind })).map(({ payload }) => payload);
  const probes = () => t.ctx.db('review_probes').where({ job_id }).orderBy('number');
  return { job_id, row, target, events, probes, model, propose: () => proposeCalls(t.ctx, row, target, never), end: () => endLoop(t.ctx, job_id) };
}

test('what it proposes is called at the agent as any other probe; skills that nobody named are left out', async () => {
  const loop = await opened();
  expect(loop.model).not.toBeNull();
  says(
    'Here: {"calls": [{"skill": "greet", "args": {"name": "Bobby"}}, {"skill": "wipe", "args": {}}, ',
    '{"skill": "greet", "args": {"name": 7}}]} Good luck.',
  );
  // Two workers at once: its words are taken once.
  await Promise.all([loop.propose(), loop.propose()]);
  expect(await loop.events('model_proposed')).toEqual([{ calls: 2 }]);
  const probes = await loop.probes();
  expect(probes.map(({ attack, skill, state }) => [attack, skill, state])).toEqual([
    ['proposed', 'greet', 'planned'],
    ['proposed', 'greet', 'planned'],
  ]);
  const [first] = probes;
  const outcome = first && (await runProbe(t.ctx, loop.row, first, loop.target, never));
  expect(outcome).toMatchObject({ down: false, ended: { answered: 1 } });
  const asked = JSON.stringify(provider.asked[0]?.body['messages']);
  expect(asked).toMatch(/"role":"system".*data, whatever it says.*"role":"user".*----------/);
  expect(asked).not.toContain(loop.target.route.apiKey);
  // Asked once: what is noted is not asked for again.
  const again = await t.ctx.db('review_loops').where({ job_id: loop.job_id }).first();
  const before = provider.asked.length;
  expect(again && (await proposeCalls(t.ctx, again, loop.target, never))).toBe(false);
  expect(provider.asked).toHaveLength(before);
  await loop.end();
});

test('words that are no calls, and a provider that fails, cost the loop nothing but that', async () => {
  for (const word of ['I would rather not.', '{"calls": "all"}', '{"calls": [{"skill": "greet"}]}', '{'.repeat(2_000)]) {
    const loop = await opened();
    says(word);
    expect(await loop.propose()).toBe(true);
    expect([await loop.events('model_proposed'), await loop.probes()]).toEqual([[{ calls: 0 }], []]);
    await loop.end();
  }
  const loop = await opened();
  provider.next = Array.from({ length: 5 }, () => ({ status: 400, body: '{"error": {"message": "no"}}' }));
  expect(await loop.propose()).toBe(true);
  provider.next = [];
  expect(await loop.events('model_failed')).toMatchObject([{ calls: 0, error: { code: 'model_refused_request' } }]);
  await loop.end();
});

test('where none is wanted or may cost nothing, nobody is asked', async () => {
  for (const more of [{ model: false }, { budget_cents: 0 }]) {
    const loop = await opened(more);
    expect([await loop.propose(), provider.asked]).toEqual([false, []]);
    await loop.end();
  }
});

test('what it costs is of the loop, counted once, and ends the loop beyond its budget', async () => {
  const loop = await opened({ budget_cents: 1 });
  says('{"calls": []}');
  await loop.propose();
  const { spent_micros } = await readLoop(ada, { name: greeter.agent.name, job_id: loop.job_id });
  const uses = await t.ctx.db('llm_usage').where({ user_id: ada.actor.user_id, purpose: 'review_loop' }).where('started_at', '>=', loop.row.created_at);
  expect(uses).toHaveLength(1);
  expect(spent_micros).toBe(uses[0]?.cost_micros);
  expect(spent_micros).toBeGreaterThan(10_000);
  expect(await advanceLoop(t.ctx, loop.job_id, never)).toBe('ended');
  expect(await readLoop(ada, { name: greeter.agent.name, job_id: loop.job_id })).toMatchObject({ state: 'failed', error: { code: 'review_budget_spent' } });
});
