// What an account keeps of its work, over a real database.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TeamPlanIn } from '#contract/studio/collective-runtime.ts';
import { cites } from '#test/spec/verifies.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { type LiveAgent, liveAgent } from '#test/support/runs.ts';
import { newId } from '../../kernel/ids.ts';
import { localTime } from '../../kernel/local-time.ts';
import { listScorecards } from '../collective/scorecards.ts';
import { listArtifacts } from './artifact.ts';
import { undoChange } from './change.ts';
import { addDispatch, listDispatches, runDispatches } from './dispatch.ts';
import { ageMemories, dream } from './dream.ts';
import { giveFeedback } from './feedback.ts';
import { brainNights } from './nightly.ts';
import { proposeSelection, takePopulation } from './population.ts';
import { setRuntime } from './runtime.ts';
import { brainStatus } from './status.ts';
import { holdTownhall } from './townhall.ts';

let t: TestContext;
let ada: TestUser;
let ben: TestUser;
let agent: LiveAgent;
const skill = (id: string, description: string) => ({ id, name: id, description, tags: [], policy: { timeout_seconds: null, idempotent: false, max_retries: 0 }, input_schema: { type: 'object', properties: { text: { type: 'string' } } }, output_schema: {} }); // prettier-ignore
const DAY = 86_400_000;

beforeAll(async () => {
  t = await testContext();
  [ada, ben] = [await t.user('ada'), await t.user('ben')];
  agent = await liveAgent(t.ctx, ada.actor.user_id, { card: { skills: [skill('write', 'Writes documentation')] } });
});
afterAll(() => t.close());

async function remember(
  text: string,
  more: { kind?: 'outcome' | 'failure' | 'lesson'; about?: string; sources?: string[]; daysAgo?: number } = {},
): Promise<string> {
  const memory_id = newId('tmm');
  const { kind = 'lesson', about = 'Greet', sources = [], daysAgo = 0 } = more;
  await t.ctx
    .db('team_memories')
    .insert({ memory_id, owner_id: ada.actor.user_id, kind, about, text, sources, created_at: new Date(Date.now() - daysAgo * DAY) });
  return memory_id;
}
const memory = (memory_id: string) => t.ctx.db('team_memories').where({ memory_id }).first();

test(
  'a night merges duplicates with their sources, lists contradictions and ages; each change can be undone',
  cites('companyBrain.dream', 'companyBrain.status'),
  async () => {
    const text = 'Ask the reader for totals before the writer begins its long work';
    const old = await remember(text, { sources: ['rcp_1'], daysAgo: 3 });
    const kept = await remember(`${text}.`, { sources: ['rcp_2'] });
    const aged = await remember('The harbour is closed in winter', { daysAgo: 200 });
    const [did, failed] = [
      await remember('draft by w.write: done', { kind: 'outcome' }),
      await remember('w.write failed at draft (x): y', { kind: 'failure' }),
    ];
    const found = await dream(ada);
    expect(found.changes.map(({ kind, memory_id }) => [kind, memory_id])).toEqual([['merged', old], ['aged', aged]]); // prettier-ignore
    expect(found.contradictions).toEqual([{ one: did, other: failed, about: 'w.write at draft' }]);
    expect(await memory(kept)).toMatchObject({ state: 'current', sources: ['rcp_2', 'rcp_1'] });
    expect(await memory(old)).toMatchObject({ state: 'merged', merged_into: kept });
    expect((await dream(ada)).changes).toEqual([]);
    const status = await brainStatus(ada);
    expect(status).toMatchObject({ memories: { current: 3, stale: 1, merged: 1 }, without_source: 2, artifacts: [{ kind: 'dream' }] });
    const [change] = status.changes.filter(({ kind }) => kind === 'aged');
    await expect(undoChange(ben, { change_id: change?.change_id ?? '' })).rejects.toMatchObject({ code: 'brain_change_not_found' });
    expect(await undoChange(ada, { change_id: change?.change_id ?? '' })).toMatchObject({ undone_at: expect.any(String) });
    expect(await memory(aged)).toMatchObject({ state: 'current', reason: null });
    // What a person has brought back is not aged again the same night.
    expect((await dream(ada)).changes).toEqual([]);
    expect((await brainStatus(ben)).memories).toEqual({ current: 0, stale: 0, merged: 0 });
  },
);

test(
  'a person confirms a memory or says that it does not hold; of an agent it counts in its scorecard',
  cites('companyBrain.feedback', 'companyBrain.aging'),
  async () => {
    const id = await remember('Harbours have ferries', { daysAgo: 40 });
    await giveFeedback(ada, { memory_id: id, good: false, note: 'No' });
    expect(await memory(id)).toMatchObject({ state: 'stale', reason: 'You said that it does not hold' });
    await giveFeedback(ada, { memory_id: id, good: true, note: '' });
    expect((await ageMemories(ada, { days: 30 })).changes.map(({ memory_id }) => memory_id)).not.toContain(id);
    await expect(giveFeedback(ben, { memory_id: id, good: true, note: '' })).rejects.toMatchObject({ code: 'team_memory_not_found' });
    await expect(giveFeedback(ben, { agent: agent.name, good: false, note: '' })).rejects.toMatchObject({ code: 'agent_not_found' });
    for (let n = 0; n < 4; n += 1) await giveFeedback(ada, { agent: agent.name, good: true, note: '' });
    const [card] = (await listScorecards(ada, { limit: 10 })).items;
    expect(card).toMatchObject({ agent: agent.name, ratings: { count: 4, mean: 1 }, routing_state: 'trusted' });
  },
);

test(
  'the population says which roles are filled; proposals change nothing; nothing of a person is in what is kept',
  cites('companyBrain.population', 'companyBrain.selection', 'companyBrain.artifacts'),
  async () => {
    const { agents, roles } = await takePopulation(ada);
    expect(agents).toMatchObject([{ agent: agent.name, own: true, sources: [] }]);
    expect(roles.find(({ protocol, role }) => protocol === 'docs_update' && role === 'writer')).toMatchObject({ agents: 1 });
    expect(roles.find(({ role }) => role === 'scanner')).toMatchObject({ agents: 0 });
    const before = await t.ctx.db('agents').where({ agent_id: agent.id }).first();
    expect((await proposeSelection(ada, { unused_days: 90 })).proposals).toEqual([
      { agent: agent.name, proposal: 'retire', reason: 'It was never called', sources: [] },
    ]);
    expect(await t.ctx.db('agents').where({ agent_id: agent.id }).first()).toEqual(before);
    await remember('Write to ada@example.org or call +44 20 7946 0958');
    const minutes = await holdTownhall(ada);
    expect(JSON.stringify(minutes)).toContain('[e-mail]');
    const { items } = await listArtifacts(ada, { kind: 'townhall', limit: 10 });
    expect(JSON.stringify(items)).not.toMatch(/example\.org|7946/);
    expect(items).toHaveLength(1);
    expect((await listArtifacts(ben, { kind: 'townhall', limit: 10 })).items).toEqual([]);
  },
);

test('workers that give at the same time stay within the budget of the day together', async () => {
  const cat = await t.user('cat');
  await liveAgent(t.ctx, cat.actor.user_id, { card: { skills: [skill('write', 'Writes documentation')] } });
  const wanted = TeamPlanIn.parse({ goal: 'Write the documentation of the harbour' });
  for (let n = 0; n < 6; n += 1) await addDispatch(cat, wanted);
  await setRuntime(cat, { daily_budget_cents: 250 });
  const given = await Promise.all(Array.from({ length: 6 }, () => runDispatches(cat, { limit: 6 })));
  expect(given.flatMap(({ items }) => items).map(({ state }) => state)).toEqual(['started', 'started']);
});

test(
  'work starts within the daily budget, oldest first; what needs a decision waits for a person',
  cites('companyBrain.dispatch', 'companyBrain.dispatches', 'companyBrain.runOnce', 'companyBrain.runtime', 'companyBrain.townhall'),
  async () => {
    const wanted = (more: object = {}) => TeamPlanIn.parse({ goal: 'Write the documentation of the harbour', ...more });
    const first = await addDispatch(ada, wanted());
    const risky = await addDispatch(ada, wanted({ risk: 'high' }));
    const nobody = await addDispatch(ada, wanted({ protocol: 'security_review', budget_class: 'low' }));
    const second = await addDispatch(ada, wanted({ goal: 'Write more documentation' }));
    expect((await runDispatches(ada, { limit: 10 })).items).toEqual([]);
    await setRuntime(ada, { daily_budget_cents: 250 });
    const [one, two] = await Promise.all([runDispatches(ada, { limit: 10 }), runDispatches(ada, { limit: 10 })]);
    const done = [...one.items, ...two.items];
    expect(
      done
        .filter(({ state }) => state === 'started')
        .map(({ dispatch_id }) => dispatch_id)
        .toSorted(),
    ).toEqual([first.dispatch_id, second.dispatch_id].toSorted());
    expect(
      done
        .filter(({ state }) => state === 'needs_person')
        .map(({ dispatch_id }) => dispatch_id)
        .toSorted(),
    ).toEqual([risky.dispatch_id, nobody.dispatch_id].toSorted());
    expect(new Set(done.map(({ dispatch_id }) => dispatch_id)).size).toBe(done.length);
    // Two teams under way may spend 200 cents: a third does not fit into 250.
    await addDispatch(ada, wanted({ goal: 'Write still more documentation' }));
    expect((await runDispatches(ada, { limit: 10 })).items).toEqual([]);
    expect((await listDispatches(ada, { limit: 2 })).next_cursor).not.toBeNull();
    expect((await listDispatches(ben, { limit: 10 })).items).toEqual([]);
    const { sections } = await holdTownhall(ada);
    expect(sections.find(({ title }) => title === 'What waits for you')?.statements).toHaveLength(2);
  },
);

test('a night comes once a day, from its hour on, in its time zone, and only where it is switched on', async () => {
  const at = (text: string) => ({ ...t.ctx, clock: () => Date.parse(text) });
  expect(localTime(Date.parse('2027-01-01T02:30:00Z'), 'America/New_York')).toEqual({ day: '2026-12-31', hour: 21 });
  await setRuntime(ada, { enabled: false, daily_hour: 3, time_zone: 'Europe/Berlin' });
  expect(await brainNights(at('2027-03-01T12:00:00Z'))).toBe(0);
  await setRuntime(ada, { enabled: true });
  expect(await brainNights(at('2027-03-01T01:30:00Z'))).toBe(0);
  const both = await Promise.all([brainNights(at('2027-03-01T02:30:00Z')), brainNights(at('2027-03-01T02:30:00Z'))]);
  expect(both[0] + both[1]).toBe(1);
  expect(await brainNights(at('2027-03-01T22:00:00Z'))).toBe(0);
  expect(await brainNights(at('2027-03-02T02:30:00Z'))).toBe(1);
});
