// Ideas beside what the platform has, over a real database.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { IdeasIn, IdeasOut } from '#contract/studio/ideas.ts';
import type { StudioRunOut } from '#contract/studio/studio-brief.ts';
import { cites } from '#test/spec/verifies.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { addAgent } from '#test/support/verbs.ts';
import { Conflict } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { makeIdeas, type StartBuild } from './make.ts';

let t: TestContext;
let ada: TestUser;
beforeAll(async () => {
  t = await testContext();
  ada = await t.user('ada');
});
afterAll(() => t.close());

const noBuild: StartBuild = () => Promise.reject(new Error('nothing was to be built'));
const wanted = (more: object = {}) => IdeasIn.parse({ theme: 'small harbours', ...more });
const run = (name: string, goal: string): StudioRunOut => ({ run_id: `std_${name}`, job_id: null, plan_id: 'spl_1', name, goal, state: 'queued', decision: 'build_new', agents: [], recipe: null, model: null, review: 'standard', iterations: [], deploy_id: null, url: null, trials: [], challenge_job_id: null, calls: { made: 0, most: 12 }, spent_micros: 0, budget_micros: 0, next: [], error: null, created_at: new Date().toISOString(), deadline_at: new Date().toISOString(), ended_at: null }); // prettier-ignore

async function listedAgent(text: string): Promise<string> {
  const { id, name } = await addAgent(t.ctx.db, ada.actor.user_id, { live: true, visibility: 'public' });
  await t.ctx.db('agents').where({ agent_id: id }).update({ search_text: text, call_count: 500 });
  return name;
}

test('public agents and open bounties on the theme are seen, in one statement for all', cites('agentStudio.ideas'), async () => {
  const before = await makeIdeas(ada, wanted(), noBuild);
  IdeasOut.parse(before);
  expect(before).toMatchObject({ theme: 'small harbours', runs: [] });
  await listedAgent('Watches a small harbour and sends an alert');
  await listedAgent('Watches gardens and sends an alert');
  await t.ctx.db('bounties').insert({ bounty_id: newId('bty'), slug: 'harbour-mail', poster_id: ada.actor.user_id, title: 'Sort the mail of our small harbours', description: '', tags: [], reward_micros: 1, require_proof: false, state: 'open', created_at: new Date() }); // prettier-ignore
  let statements = 0;
  const count = (): void => void (statements += 1);
  t.ctx.db.on('query', count);
  const after = await makeIdeas(ada, wanted(), noBuild);
  t.ctx.db.off('query', count);
  expect(statements).toBe(2);
  const parts = (ideas: IdeasOut, recipe: string) => ideas.items.find((idea) => idea.recipe === recipe && idea.audience === 'teachers')?.parts;
  expect(parts(before, 'monitor_alert')?.gap).toBe(1);
  expect(parts(after, 'monitor_alert')?.gap).toBe(0.965);
  expect(parts(after, 'monitor_alert')?.demand).toBeGreaterThan(parts(before, 'monitor_alert')?.demand ?? 1);
  expect(parts(after, 'mail_triage')?.demand).toBeGreaterThan(parts(before, 'mail_triage')?.demand ?? 1);
  expect(parts(after, 'api_wrapper')).toEqual(parts(before, 'api_wrapper'));
});

test.each([`'; drop table agents; -- \\ & | ! :* <->`, '🎉', 'é'.repeat(200), `a\u0000b ' ''`])('a theme may be any text: %j', async (theme) => {
  expect((await makeIdeas(ada, wanted({ theme }), noBuild)).items).toHaveLength(100);
});

test('names that are taken get a number', async () => {
  const first = await makeIdeas(ada, wanted({ theme: 'lighthouses' }), noBuild);
  const name = first.items[0]?.name ?? '';
  const taken = [name, ...Array.from({ length: 25 }, (_, at) => `${name}-${at + 2}`)];
  for (const one of taken) await t.ctx.db('agents').insert({ agent_id: newId('agt'), name: one, owner_id: ada.actor.user_id, kind: 'hosted', visibility: 'unlisted' }); // prettier-ignore
  await t.ctx.db('agents').where({ name }).update({ deleted_at: new Date() });
  const second = await makeIdeas(ada, wanted({ theme: 'lighthouses' }), noBuild);
  expect(second.items[0]?.name).toBe(`${name}-27`);
  expect(second.items[1]?.name).toBe(first.items[1]?.name);
});

test('the best three that need nothing more are built, each for a third', async () => {
  const started: Parameters<StartBuild>[1][] = [];
  const start: StartBuild = async (_ctx, i) => {
    started.push(i);
    return run(i.name, i.goal);
  };
  const model = { credential: 'main' };
  const { items, runs } = await makeIdeas(ada, wanted({ build_top_three: true, total_budget_cents: 1_000, model }), start);
  const best = items.filter(({ missing }) => missing.length === 0).slice(0, 3);
  expect(started).toEqual(best.map(({ name, goal, recipe }) => ({ name, goal, recipe, budget_cents: 333, model })));
  expect(runs.map(({ name }) => name)).toEqual(best.map(({ name }) => name));
});

test('what was started stays where a later start is refused; the first refusal is told', async () => {
  let left = 2;
  const start: StartBuild = async (_ctx, { name, goal }) => {
    if (left === 0) throw new Conflict('name_taken', 'taken');
    left -= 1;
    return run(name, goal);
  };
  expect((await makeIdeas(ada, wanted({ build_top_three: true }), start)).runs).toHaveLength(2);
  await expect(makeIdeas(ada, wanted({ build_top_three: true }), start)).rejects.toMatchObject({ code: 'name_taken' });
});

test('somebody has to be signed in', async () => {
  await expect(makeIdeas({ ...t.ctx, actor: { kind: 'anonymous' } }, wanted(), noBuild)).rejects.toMatchObject({ code: 'unauthenticated' });
});
