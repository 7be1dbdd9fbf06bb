// Trial rooms over a real database and a real provider's wire; agents answer in workflows'
// trial-run.parts.test.ts.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TrialRoomOut, TrialRoomIn, type TrialRunOut } from '#contract/studio/trial-rooms.ts';
import { type Provider, startProvider } from '#test/support/provider/provider.ts';
import { cites } from '#test/spec/verifies.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { limitRuns } from '#test/support/limit-runs.ts';
import { type LiveAgent, liveAgent } from '#test/support/runs.ts';
import { newId } from '../../kernel/ids.ts';
import { putCredential } from '../../money/llm/put.ts';
import { addItems } from '../../quality/evaluation/dataset.ts';
import { advanceTrial } from './advance.ts';
import { createRoom } from './create.ts';
import { rateRun, selectRun } from './decide.ts';
import { endTrial } from './end.ts';
import { followDeploys } from './follow-deploys.ts';
import { listRooms, readRoom } from './read.ts';
import { startRuns } from './run.ts';

let t: TestContext;
let provider: Provider;
let ada: TestUser;
let ben: TestUser;
let agent: LiveAgent;
const never = new AbortController().signal;
const input = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };

beforeAll(async () => {
  provider = await startProvider();
  t = await testContext({ llmLocalHosts: [provider.host] });
  [ada, ben] = [await t.user('ada'), await t.user('ben')];
  await putCredential(ada, { name: 'main', provider: 'openai_compatible', base_url: provider.url, api_key: 'sk-0123456789abcdefghij', model: 'm-1', default: true, monthly_budget_micros: null, agent_run_budget_micros: null, price: null, probe: false }); // prettier-ignore
  agent = await liveAgent(t.ctx, ada.actor.user_id, { card: { skills: [skill('work'), skill('other')] } });
});
afterAll(async () => {
  await t.close();
  await provider.close();
});

const skill = (id: string) => ({ id, name: id, description: '', tags: [], policy: { timeout_seconds: null, idempotent: false, max_retries: 0 }, input_schema: input, output_schema: {} }); // prettier-ignore
let rooms = 0;
const room = (more: object = {}, ctx = ada): Promise<TrialRoomOut> =>
  createRoom(
    ctx,
    TrialRoomIn.parse({ title: `Reading totals ${(rooms += 1)}`, goal: 'Read the total', cases: [{ inputs: { text: 'Total: 5' }, facts: ['5'] }], ...more }),
  );
async function model(slug: string, model = 'm-1'): Promise<TrialRunOut> {
  const { items } = await startRuns(ada, { slug, contestants: [{ model: { model } }] });
  const [one] = items;
  if (!one) throw new Error('nothing was started');
  return one;
}
/** What its workflow does. */
async function toItsEnd(run_id: string): Promise<void> {
  const row = await t.ctx.db('trial_runs').where({ run_id }).first('job_id');
  while ((await advanceTrial(t.ctx, row?.job_id ?? '', never)) === 'again');
}
const found = async (slug: string, run_id: string, ctx = ada) => (await readRoom(ctx, { slug })).contestants.find((one) => one.run_id === run_id);

test(
  'a room is made once for its slug, is only its owner’s, and says what it cannot read',
  cites('trialRooms.create', 'trialRooms.list', 'trialRooms.get'),
  async () => {
    const made = await room({ title: '  Rechnungen: Ü-Test!  ' });
    expect(made).toMatchObject({ slug: 'rechnungen-u-test', state: 'draft', cases: 1, contestants: [], decision: null, max_runtime_seconds: 300 });
    await expect(room({ title: 'Rechnungen: U Test' })).rejects.toMatchObject({ code: 'trial_room_exists' });
    await room({ title: 'Rechnungen: U Test' }, ben);
    await expect(readRoom(ben, { slug: 'rechnungen-u-test' })).resolves.toMatchObject({ title: 'Rechnungen: U Test' });
    const other = await room();
    await expect(readRoom(ben, { slug: other.slug })).rejects.toMatchObject({ code: 'trial_room_not_found' });
    await expect(startRuns(ben, { slug: other.slug, contestants: [{ model: {} }] })).rejects.toMatchObject({ code: 'trial_room_not_found' });
    await expect(room({ title: '!!!' })).rejects.toMatchObject({ code: 'trial_check_invalid' });
    await expect(room({ output_schema: { $ref: '#/nowhere' } })).rejects.toMatchObject({ code: 'trial_check_invalid' });
    await expect(room({ acceptance_criteria: [{ text: 'x', check: { kind: 'matches', pattern: '(' } }] })).rejects.toMatchObject({
      code: 'trial_check_invalid',
    });
    const first = await listRooms(ada, { limit: 1 });
    expect(first.items.map(({ slug }) => slug)).toEqual([other.slug]);
    const rest = await listRooms(ada, { limit: 50, cursor: first.next_cursor ?? '' });
    expect(rest.items.map(({ slug }) => slug)).toEqual(['rechnungen-u-test']);
  },
);

test('examples of a dataset become the cases, of an agent that one may read', async () => {
  await addItems(ada, {
    name: agent.name,
    dataset: 'totals',
    items: [
      { skill: 'work', args: { text: 'a' }, expected: 1 },
      { skill: 'other', args: { text: 'b' } },
    ],
  });
  const made = await room({ cases: undefined, dataset: { agent: agent.name, dataset: 'totals', skill: 'work' } });
  expect(made.items).toEqual([{ inputs: { text: 'a' }, facts: [], expected: 1 }]);
  await expect(room({ cases: undefined, dataset: { agent: agent.name, dataset: 'none' } })).rejects.toMatchObject({ code: 'dataset_not_found' });
  await expect(room({ cases: undefined, dataset: { agent: agent.name, dataset: 'totals' } }, ben)).rejects.toMatchObject({ code: 'agent_not_found' });
});

test('a model answers every case as a baseline; what it says is scored, and criteria in words are judged', cites('trialRooms.run'), async () => {
  const { slug } = await room({
    output_schema: { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] },
    acceptance_criteria: [{ text: 'It is exact' }],
    cases: [
      { name: 'five', inputs: { text: 'Total: 5' }, expected: { total: 5 } },
      { inputs: { text: 'IGNORE ALL' }, facts: ['7'] },
    ],
  });
  const begun = await model(slug);
  expect(begun).toMatchObject({ contestant: null, job_id: null, state: 'queued', label: expect.stringMatching(/^Entry /) });
  provider.says = (body) => (JSON.stringify(body).includes('You judge') ? '{"score": 0.5, "reason": "Half."}' : '```json\n{"total": 5}\n```');
  await toItsEnd(begun.run_id);
  const shown = await found(slug, begun.run_id);
  expect(shown).toMatchObject({
    state: 'succeeded',
    contestant: null,
    results: [
      { name: 'five', state: 'done', output: { total: 5 } },
      { output: { total: 5 }, run_id: null },
    ],
  });
  const partOf = (at: number) => Object.fromEntries((shown?.results[at]?.parts ?? []).map(({ part, score }) => [part, score]));
  expect(partOf(0)).toMatchObject({ schema: 1, expected: 1, criteria: 0.5, cost: null });
  expect(partOf(1)).toMatchObject({ schema: 1, facts: 0, criteria: 0.5 });
  expect(shown?.score?.mean).toBeGreaterThan(50_000);
  const asked = provider.asked.filter(({ body }) => JSON.stringify(body).includes('IGNORE ALL'));
  expect(JSON.stringify(asked[0]?.body['messages'])).toMatch(/"role":"system".*Read the total.*"role":"user".*-----/);
});

test('who they are is hidden until every run that ended is rated; a later rating of somebody who knows is not blind', cites('trialRooms.rate'), async () => {
  const { slug } = await room();
  provider.says = () => 'The total is 5';
  const [one, two] = [await model(slug), await model(slug, 'm-2')];
  await expect(rateRun(ada, { slug, run_id: one.run_id, score: 50, notes: '' })).rejects.toMatchObject({ code: 'trial_run_open' });
  await toItsEnd(one.run_id);
  await toItsEnd(two.run_id);
  expect((await readRoom(ada, { slug })).state).toBe('evaluating');
  expect(await rateRun(ada, { slug, run_id: one.run_id, score: 40, notes: 'terse' })).toMatchObject({
    contestant: null,
    ratings: { mine: { score: 40, blind: true } },
  });
  expect(await rateRun(ada, { slug, run_id: two.run_id, score: 90, notes: '' })).toMatchObject({
    contestant: { model: 'm-2' },
    ratings: { count: 1, mean: 90 },
  });
  expect(await rateRun(ada, { slug, run_id: one.run_id, score: 95, notes: '' })).toMatchObject({ ratings: { count: 1, mine: { score: 95, blind: false } } });
  await expect(rateRun(ben, { slug, run_id: one.run_id, score: 1, notes: '' })).rejects.toMatchObject({ code: 'trial_room_not_found' });
  const other = await room();
  await expect(rateRun(ada, { slug: other.slug, run_id: one.run_id, score: 1, notes: '' })).rejects.toMatchObject({ code: 'trial_run_not_found' });
});

test('selecting decides, once, with the scores as they were', cites('trialRooms.select'), async () => {
  const { slug } = await room({
    blind: false,
    cases: [
      { inputs: { text: 'a' }, facts: ['right'] },
      { inputs: { text: 'b' }, facts: ['right'] },
    ],
  });
  provider.says = (body) => (body['model'] === 'good' ? 'That is right' : 'No idea');
  const [good, bad] = [await model(slug, 'good'), await model(slug, 'bad')];
  await toItsEnd(bad.run_id);
  await expect(selectRun(ada, { slug, run_id: good.run_id, reason: 'x' })).rejects.toMatchObject({ code: 'trial_run_open' });
  await toItsEnd(good.run_id);
  const cancelled = await model(slug, 'gone');
  const row = await t.ctx.db('trial_runs').where({ run_id: cancelled.run_id }).first('job_id');
  await endTrial(t.ctx, row?.job_id ?? '', { code: 'cancelled', message: 'x' });
  await expect(selectRun(ada, { slug, run_id: cancelled.run_id, reason: 'x' })).rejects.toMatchObject({ code: 'trial_run_failed' });
  const decided = await selectRun(ada, { slug, run_id: good.run_id, reason: 'It answers' });
  expect(decided).toMatchObject({
    state: 'decided',
    decision: { run_id: good.run_id, reason: 'It answers', standing: [{ contestant: { model: 'good' } }, { contestant: { model: 'bad' } }] },
  });
  expect(decided.decision?.lead?.low).toBeGreaterThan(0);
  expect(await selectRun(ada, { slug, run_id: good.run_id, reason: 'again' })).toMatchObject({ decision: { reason: 'It answers' } });
  await expect(selectRun(ada, { slug, run_id: bad.run_id, reason: 'x' })).rejects.toMatchObject({ code: 'trial_room_decided' });
  await expect(startRuns(ada, { slug, contestants: [{ model: {} }] })).rejects.toMatchObject({ code: 'trial_room_decided' });
  await expect(rateRun(ada, { slug, run_id: bad.run_id, score: 1, notes: '' })).rejects.toMatchObject({ code: 'trial_room_decided' });
});

test('an agent with several skills must be told which; an account has so many contestants under way, however they begin', async () => {
  const { slug } = await room();
  await expect(startRuns(ada, { slug, contestants: [{ agent: agent.name }] })).rejects.toMatchObject({ code: 'trial_skill_needed' });
  await expect(startRuns(ada, { slug, contestants: [{ agent: agent.name, skill: 'none' }] })).rejects.toMatchObject({ code: 'skill_not_found' });
  await expect(startRuns(ada, { slug, contestants: [{ agent: 'nobody-has-this' }] })).rejects.toMatchObject({ code: 'agent_not_found' });
  const six = { slug, contestants: Array.from({ length: 6 }, () => ({ model: {} })) };
  const made = await Promise.allSettled(Array.from({ length: 6 }, () => startRuns(ada, six)));
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
  for (const one of made) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'too_many_trial_runs' });
  const open = await t.ctx.db('trial_runs').where({ owner_id: ada.actor.user_id }).whereNull('ended_at').select('job_id');
  for (const { job_id } of open) await endTrial(t.ctx, job_id ?? '', { code: 'cancelled', message: 'x' });
  expect((await readRoom(ada, { slug })).contestants.every(({ state, score }) => state === 'cancelled' && score === null)).toBe(true);
});

test('a new version of an agent runs on its own, once, and in a decided room only of the selected one', async () => {
  const { slug } = await room({ on_deploy: true, blind: false });
  const { items } = await startRuns(ada, { slug, contestants: [{ agent: agent.name, skill: 'work', map: { text: '/goal' } }] });
  await followDeploys(t.ctx);
  expect((await readRoom(ada, { slug })).contestants).toHaveLength(1);
  const [old] = await t.ctx.db('deployments').where({ deploy_id: agent.deployId });
  if (!old) throw new Error('no deployment');
  const [deploy_id, job_id] = [newId('dep'), newId('job')];
  await t.ctx.db('jobs').insert({ job_id, kind: 'deploy', state: 'succeeded', title: 'Deploy', owner_id: ada.actor.user_id, ended_at: new Date() });
  await t.ctx
    .db('deployments')
    .insert({ ...old, deploy_id, job_id, number: old.number + 1, version: '2.0.0', card: JSON.stringify(old.card), state: 'superseded' } as never);
  await t.ctx.db('agents').where({ agent_id: agent.id }).update({ live_deploy_id: deploy_id }); // prettier-ignore
  await Promise.all([followDeploys(t.ctx), followDeploys(t.ctx)]);
  const { contestants } = await readRoom(ada, { slug });
  expect(contestants.map(({ trigger, contestant }) => [trigger, contestant?.version, contestant?.skill])).toContainEqual(['deploy', '2.0.0', 'work']);
  expect(contestants).toHaveLength(2);
  expect(await t.ctx.db('trial_runs').where({ run_id: contestants.find(({ trigger }) => trigger === 'deploy')?.run_id ?? '' }).first('map')).toEqual({ map: { text: '/goal' } }); // prettier-ignore
  expect(items).toHaveLength(1);
});

test('a case waits where the account has as many runs under way as it may, and is begun when one has ended', async () => {
  const mine = await liveAgent(t.ctx, ada.actor.user_id, { card: { skills: [skill('work')] } });
  const { slug } = await room({ cases: [{ inputs: { text: 'one' } }, { inputs: { text: 'two' } }], blind: false });
  const { items } = await startRuns(ada, { slug, contestants: [{ agent: mine.name, skill: 'work' }] });
  const [one] = items;
  await limitRuns(ben, ada, 1);
  expect(await advanceTrial(t.ctx, one?.job_id ?? '', never)).toBe('waits');
  expect((await found(slug, one?.run_id ?? ''))?.results.map(({ state, error }) => [state, error])).toEqual([
    ['running', null],
    ['queued', null],
  ]);
  await limitRuns(ben, ada, null);
  expect(await advanceTrial(t.ctx, one?.job_id ?? '', never)).toBe('again');
  expect((await found(slug, one?.run_id ?? ''))?.results.map(({ state }) => state)).toEqual(['running', 'running']);
});

test('contestants that are started again with the same key are those that began, also at once; with others it is refused', async () => {
  const { slug } = await room();
  const request = {
    slug,
    contestants: [
      { agent: agent.name, skill: 'work' },
      { agent: agent.name, skill: 'other' },
    ],
    key: 'once',
  };
  const [one, two] = await Promise.all([startRuns(ada, request), startRuns(ada, request)]);
  const idsOf = ({ items }: { items: TrialRunOut[] }): string[] => items.map(({ run_id }) => run_id).toSorted();
  expect(idsOf(one)).toHaveLength(2);
  expect(idsOf(two)).toEqual(idsOf(one));
  expect(idsOf(await startRuns(ada, request))).toEqual(idsOf(one));
  expect((await readRoom(ada, { slug })).contestants).toHaveLength(2);
  await expect(startRuns(ada, { ...request, contestants: [{ agent: agent.name, skill: 'other' }] })).rejects.toMatchObject({ code: 'idempotency_key_reused' });
  const other = await room();
  await expect(startRuns(ada, { ...request, slug: other.slug })).rejects.toMatchObject({ code: 'idempotency_key_reused' });
  expect(idsOf(await startRuns(ada, { ...request, key: 'again' }))).not.toEqual(idsOf(one));
});
