// Which recipe a goal means, and what a brief's inputs may be.
import { expect, test } from 'vitest';
import { z } from 'zod';
import { STUDIO_RECIPES, type StudioRecipe } from '#contract/states.ts';
import { Invalid } from '../../kernel/errors.ts';
import { chooseRecipe } from './choose.ts';
import { RECIPES, recipeOf } from './index.ts';
import { inputsFor } from './inputs.ts';
import { noCtx, plainBrief } from './test/briefs.ts';

const GOALS: readonly [StudioRecipe, string][] = [
  ['api_wrapper', 'Let our assistants call the pet store, which has a Swagger specification of its endpoints'],
  ['webhook_transformer', 'When the shop posts an event as JSON, reshape the payload and forward it to our chat'],
  ['file_retrieval', 'Answer questions of new colleagues from the handbook and the policies in my documents'],
  ['scheduled_digest', 'Every morning send me the headlines of five blogs that I read'],
  ['form_to_record', 'Guests register for the summer party and fill in their name, meal and number of people'],
  ['table_report', 'From the monthly CSV of sales draw me a chart of the totals by region'],
  ['mail_triage', 'Sort what people write to our support inbox and reply to the simple ones'],
  ['approval_desk', 'No expense is paid before my manager has confirmed it'],
  ['monitor_alert', 'Tell me when our website is down or slow'],
  ['mcp_bridge', 'Connect to the remote Model Context Protocol server of our designers and use its tools'],
];

test('there is one recipe for each of the list, in its order', () => {
  expect(RECIPES.map(({ recipe }) => recipe)).toEqual(STUDIO_RECIPES);
  expect(GOALS.map(([recipe]) => recipe)).toEqual(STUDIO_RECIPES);
});

test.each(GOALS)('%s is chosen for: %s', (recipe, goal) => {
  const [first, second] = chooseRecipe(goal, {});
  expect(first?.recipe, JSON.stringify([first, second])).toBe(recipe);
  expect(first?.fit).toBeGreaterThan(second?.fit ?? 1);
  expect(first?.fit).toBeLessThan(1);
  expect(first?.matched.length).toBeGreaterThan(0);
});

test('inputs that one recipe alone takes decide where the goal says nothing', () => {
  const [first] = chooseRecipe('Please do it', { openapi_url: 'https://api.example.com/openapi.json' });
  expect(first).toEqual({ recipe: 'api_wrapper', fit: 0.5, matched: ['openapi_url'] });
  expect(chooseRecipe('Please do it', {}).map(({ fit }) => fit)).toEqual(RECIPES.map(() => 0));
});

test('every input says what it is, and most have a default', () => {
  for (const { recipe, inputs } of RECIPES)
    for (const [name, field] of Object.entries(inputs.shape))
      expect(z.toJSONSchema(field as z.ZodType, { io: 'input' }).description, `${recipe}.${name}`).toMatch(/\.$/);
  expect(inputsFor(recipeOf('table_report'), {})).toEqual({ title: 'Report', values: [] });
});

const issuesOf = (run: () => unknown): Invalid['issues'] => {
  try {
    run();
  } catch (error) {
    if (error instanceof Invalid) return error.issues;
    throw error;
  }
  return [];
};

test('says every input that is wrong at its place, and what a missing one is for', () => {
  expect(issuesOf(() => inputsFor(recipeOf('monitor_alert'), { alert_after: 99, cron: 'often' }))).toMatchObject([
    { path: ['body', 'inputs', 'url'], message: 'is missing: What is checked, with GET.' },
    { path: ['body', 'inputs', 'alert_after'] },
    { path: ['body', 'inputs', 'cron'] },
  ]);
  expect(issuesOf(() => inputsFor(recipeOf('webhook_transformer'), { fields: [{ to: '1', from: 'a..b' }] })).map(({ path }) => path.join('.'))).toEqual([
    'body.inputs.fields.0.to',
    'body.inputs.fields.0.from',
  ]);
});

test.each<[StudioRecipe, Record<string, unknown>, string]>([
  ['monitor_alert', { url: 'https://127.0.0.1/' }, 'url'],
  ['monitor_alert', { url: 'https://user:secret@shop.example.com/' }, 'url'],
  ['monitor_alert', { url: 'https://shop.example.com/', min: 3, value_at: 'a', max: 2 }, 'min'],
  ['monitor_alert', { url: 'https://shop.example.com/', min: 3 }, 'value_at'],
  ['mcp_bridge', { server_url: 'http://localhost/mcp' }, 'server_url'],
  ['mcp_bridge', { server_url: 'https://mcp.example.com:8443/mcp' }, 'server_url'],
  ['form_to_record', { fields: [{ name: 'a', required: false }], unique: 'a' }, 'unique'],
  ['form_to_record', { fields: [{ name: 'a', type: 'choice' }] }, 'fields.0.choices'],
  ['mail_triage', { categories: [{ name: 'other', words: ['a'] }] }, 'categories.0.name'],
  ['approval_desk', { ask_role: 'boss' }, 'ask_role'],
  ['approval_desk', { ask_role: 'admin', ask_people: ['cfo@example.com'] }, 'ask_people'],
  ['api_wrapper', {}, 'openapi_url'],
])('%s refuses %o', async (recipe, inputs, place) => {
  const written = recipeOf(recipe).write(noCtx, { ...plainBrief(recipe), inputs });
  await expect(written).rejects.toMatchObject({
    issues: [{ path: ['body', 'inputs', ...place.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step))] }],
  });
});

test('a secret needs a name, and the host of its address', async () => {
  const { write } = recipeOf('approval_desk');
  const brief = { ...plainBrief('approval_desk'), inputs: {} };
  await expect(write(noCtx, { ...brief, integrations: ['MY_HOOK'] })).rejects.toMatchObject({ issues: [{ path: ['body', 'inputs', 'webhook_host'] }] });
  await expect(write(noCtx, { ...brief, integrations: ['SLACK_WEBHOOK_URL', 'a b'] })).rejects.toMatchObject({
    issues: [{ path: ['body', 'integrations', 1] }],
  });
  const { next } = await write(noCtx, { ...brief, inputs: { webhook_host: 'hooks.example.com' }, integrations: ['MY_HOOK'] });
  expect(next[0]).toBe('Set the secret MY_HOOK: svc secrets set plain-approval-desk MY_HOOK');
});
