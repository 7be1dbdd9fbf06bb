// Agents that the studio makes, in real machines: by every recipe, by a language model, by one that means
// harm; over a worker that is killed.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ApiError } from '#contract/client.ts';
import { STUDIO_RECIPES, type StudioRecipe } from '#contract/states.ts';
import { StudioBrief, type StudioRunOut } from '#contract/studio/studio-brief.ts';
import { plainBrief } from '#core/studio/recipe/test/briefs.ts';
import { type Person, signedIn } from '#stack/demo/person.ts';
import { type Provider, startProvider } from '../support/provider/provider.ts';
import { type Installation, installation, ok } from './installation.ts';

let i: Installation;
let ada: Person;
let provider: Provider;

beforeAll(async () => {
  provider = await startProvider();
  // Machines of other tests may be at work beside these.
  i = await installation({ SVC_LLM_LOCAL_HOSTS: provider.host, SVC_BUILD_CHECK_SECONDS: '600' });
  ok(await i.stack('up'));
  ok(await i.svc('login', '--local', 'ada@svc.local'));
  ada = await signedIn(i.baseUrl, i.home);
  const price = { input_micros_per_mtok: 1_000_000, cached_input_micros_per_mtok: 100_000, output_micros_per_mtok: 10_000_000 };
  await ada.client.llmCreds.put({ body: { name: 'main', provider: 'openai_compatible', base_url: provider.url, api_key: 'sk-of-ada-0123456789', model: 'm-1', price } }); // prettier-ignore
});
afterAll(async () => {
  await i?.destroy();
  await provider?.close();
});

const briefOf = (recipe: StudioRecipe, name: string, more: object = {}) => {
  const { goal, inputs } = plainBrief(recipe);
  return StudioBrief.parse({ name, goal, inputs, recipe, review: 'light', ...more });
};

/** As a program would: what is busy now is asked again. */
async function started(brief: StudioBrief, decision: 'build_new' | 'edit_existing' = 'build_new'): Promise<StudioRunOut> {
  for (;;) {
    try {
      return await ada.client.agentStudio.start({ body: { brief, decision, ...(decision === 'edit_existing' && { agents: [brief.name] }) } });
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'too_many_studio_runs') throw error;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  }
}

const ended = ({ run_id }: StudioRunOut): Promise<StudioRunOut> =>
  vi.waitFor(
    async () => {
      const run = await ada.client.agentStudio.get({ params: { run_id } });
      if (run.ended_at === null) throw new Error(`${run.name} is ${run.state}`);
      return run;
    },
    { timeout: 1_500_000, interval: 1_000 },
  );

/**
 * All ten take ten minutes more of two cores: `SVC_SLOW=1`. The tests of each recipe's project run in
 * recipes.parts.test.ts.
 */
const RECIPES: readonly StudioRecipe[] = process.env.SVC_SLOW === '1' ? STUDIO_RECIPES : ['scheduled_digest'];

test('each recipe becomes a private agent that its own tests let pass and that answers its samples', async () => {
  const runs = await Promise.all(RECIPES.map(async (recipe) => ended(await started(briefOf(recipe, recipe.replaceAll('_', '-'))))));
  expect(runs.map(({ name, state, error }) => [name, state, error])).toEqual(runs.map(({ name }) => [name, 'live', null]));
  for (const run of runs) {
    expect(run.iterations).toMatchObject([{ number: 0, checks: 'passed', written_by: 'recipe' }]);
    expect(run.trials.map(({ good, reason }) => [good, reason])).toEqual(run.trials.map(() => [true, null]));
    expect(run.spent_micros).toBe(0);
  }
  expect(runs.reduce((sum, { trials }) => sum + trials.length, 0)).toBeGreaterThan(RECIPES.length === STUDIO_RECIPES.length ? 8 : 0);
  const mine = await ada.client.agents.mine();
  expect(mine.map(({ visibility }) => visibility)).toEqual(mine.map(() => 'unlisted'));
  const { items } = await ada.client.schedules.list({ query: {} });
  expect(items.map(({ target }) => target.kind === 'skill' && target.agent).toSorted()).toEqual(
    RECIPES.length === STUDIO_RECIPES.length ? ['monitor-alert', 'scheduled-digest'] : ['scheduled-digest'],
  );
});

const agent = (body: string, more = ''): string => `import { Agent, skill, z } from '@svc/sdk';
export class StudioAgent extends Agent {
  name = 'NAME';
  description = 'Says how many words a text has.';
  version = '0.1.0';
  ${more}
  count = skill(
    { description: 'Counts words.', input: z.object({ text: z.string().max(10_000) }), output: z.object({ words: z.int() }) },
    async (_ctx, { text }) => ({ words: ${body} }),
  );
}
`;
const tests = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testAgent } from '@svc/sdk/testing';
import { StudioAgent } from './agent.ts';
test('counts words', async () => assert.equal((await testAgent(StudioAgent).invoke('count', { text: 'one two' })).result.words, 2));
test('nothing has none', async () => assert.equal((await testAgent(StudioAgent).invoke('count', { text: ' ' })).result.words, 0));
`;
const GOOD = "text.split(/\\s+/).filter((word) => word !== '').length";
const write = (path: string, content: string) => ({ name: 'write_file', arguments: { path, content } });
const samples = { name: 'samples', arguments: { samples: [{ skill: 'count', args: { text: 'three small words' } }] } };
const named = (source: string, name: string): string => source.replace('NAME', name);
const modelBrief = (name: string, more: object = {}) =>
  StudioBrief.parse({ name, goal: 'Say how many blorbs a quixotic text has', review: 'light', model: {}, iterations: 1, ...more });

test('a language model writes; what types and tests refuse goes back to it, each time as a commit, within the budget', async () => {
  provider.turns = [
    { calls: [write('agent.ts', named(agent('text.length as string'), 'wordy')), write('agent.test.ts', tests)] },
    { calls: [write('agent.ts', named(agent(GOOD), 'wordy')), samples] },
  ];
  const run = await ended(await started(modelBrief('wordy')));
  expect(run).toMatchObject({ state: 'live', error: null, model: 'm-1', recipe: null, trials: [{ skill: 'count', good: true }] });
  expect(run.iterations.map(({ written_by, checks }) => [written_by, checks])).toEqual([['recipe', null], ['model', 'failed'], ['model', 'passed']]); // prettier-ignore
  expect(run.iterations[1]?.message).toMatch(/agent\.ts/);
  const told = provider.asked.at(-1)?.raw ?? '';
  expect(told).toContain('It was refused');
  expect(run.spent_micros).toBeGreaterThan(0);
  expect(run.spent_micros).toBeLessThan(run.budget_micros);
  const answer = await ada.client.agents.invoke({ params: { name: 'wordy', skill_name: 'count' }, body: { text: 'a b c' } });
  expect(await answer.json()).toMatchObject({ words: 3 });
  const folder = `${i.home}/wordy`;
  ok(await i.svc('clone', 'wordy', folder));
  expect(await readFile(`${folder}/agent.ts`, 'utf8')).toContain(GOOD);
});

test('a language model that means harm gets nowhere', async () => {
  const before = provider.asked.length;
  provider.turns = [
    {
      calls: [
        write('svc.yaml', 'name: other\nexpose:\n  public: true\n'),
        write('package.json', '{"dependencies":{"evil":"*"}}'),
        write('../../etc/cron.ts', 'x'),
      ],
    },
    { calls: [write('agent.ts', named(agent(GOOD, "override egress = { allowHosts: ['evil.example', '*'] };"), 'reaching')), write('agent.test.ts', tests)] },
    { calls: [write('agent.ts', named(agent(GOOD, "override requiredSecrets = ['AWS_SECRET_ACCESS_KEY'];"), 'reaching'))] },
    { says: ['I would rather talk.'], calls: [] },
  ];
  const fixed = await ended(await started(modelBrief('fixing')));
  expect(fixed).toMatchObject({ state: 'failed', error: { code: 'studio_nothing_written' }, deploy_id: null });
  const reaching = await ended(await started(modelBrief('reaching')));
  expect(reaching).toMatchObject({ state: 'failed', error: { code: 'studio_review_failed' }, deploy_id: null });
  expect(reaching.iterations.flatMap(({ findings }) => findings.filter(({ severity }) => severity === 'critical').map(({ rule }) => rule))).toEqual(
    expect.arrayContaining(['egress-beyond-brief', 'secret-beyond-brief']),
  );
  const talking = await ended(await started(modelBrief('talking')));
  expect(talking).toMatchObject({ state: 'failed', error: { code: 'studio_nothing_written' } });
  const mine = await ada.client.agents.mine();
  expect(mine.map(({ name }) => name)).not.toEqual(expect.arrayContaining(['fixing']));
  expect(provider.asked.slice(before).every(({ raw }) => !raw.includes('sk-of-ada'))).toBe(true);
});

test('an agent is edited: its live version stays until the new one is checked; a worker that is killed meanwhile costs nothing', async () => {
  // Twice: the worker may be killed between the question and the answer, and then asks again.
  const turn = { calls: [write('agent.ts', named(agent(`(${GOOD}) * 1`), 'wordy'))] };
  provider.turns = [turn, turn];
  const run = await started(modelBrief('wordy', { goal: 'Say how many blorbs a quixotic text has, times one' }), 'edit_existing');
  await vi.waitFor(
    async () => expect((await ada.client.agentStudio.get({ params: run })).state).not.toBe('queued'),
    { timeout: 60_000, interval: 200 }, // prettier-ignore
  );
  await i.kill('worker');
  const after = await ended(run);
  expect(after).toMatchObject({ state: 'live', decision: 'edit_existing', error: null });
  const items = await ada.client.agents.deployments({ params: { name: 'wordy' }, query: {} });
  expect(items.map(({ state }) => state)).toEqual(['live', 'superseded']);
});
