// Models in the browser: a credential is stored and its key never shown; what was used is a chart and a
// table. First steps.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '#core/kernel/ids.ts';
import { type DashboardWorld, dashboardWorld } from './dashboard.ts';

let it: DashboardWorld;
beforeAll(async () => {
  it = await dashboardWorld();
});
afterAll(() => it.close());

test('a credential is stored with its budget, changed without its key, and deleted', async () => {
  const { llmCreds } = it.world.as('ada');
  const { page, complaints } = await it.open('/models', { who: 'ada' });
  await page.getByRole('button', { name: 'Add a model' }).click();
  await page.locator('input[type=password]').fill('sk-example-0123456789');
  await page.getByLabel('Budget of a month, in dollars').fill('2,50');
  await page.getByLabel('Ask the model for one word').uncheck();
  await page.getByRole('button', { name: 'Store' }).click();
  await page.getByText('Write dollars with at most six digits after a point').waitFor();
  await page.getByLabel('Budget of a month, in dollars').fill('2.50');
  await page.getByRole('button', { name: 'Store' }).click();
  await page.getByText('main is stored.').waitFor();
  expect((await llmCreds.list()).items).toMatchObject([{ name: 'main', monthly_budget_micros: 2_500_000, has_key: true, agent_run_budget_micros: null }]);
  expect(await page.content()).not.toContain('sk-example');
  await page.getByRole('button', { name: 'Change' }).click();
  await page.getByLabel('Budget of a month, in dollars').fill('7');
  await page.getByLabel('Ask the model for one word').uncheck();
  await page.getByRole('button', { name: 'Store' }).click();
  await page.getByText('$0.00 of $7.00').waitFor();
  expect((await llmCreds.list()).items).toMatchObject([{ monthly_budget_micros: 7_000_000, has_key: true }]);
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('You have no model yet.').waitFor();
  expect((await llmCreds.list()).items).toEqual([]);
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('use of a period is drawn, and told as tables', async () => {
  const { user_id } = await it.world.as('ada').auth.me();
  const at = new Date('2026-02-03T12:00:00Z');
  await it.world.ctx.db('llm_usage').insert({
    usage_id: newId('llu'),
    user_id,
    credential_id: 'c',
    credential: 'main',
    provider: 'openai',
    model: 'gpt-5.5',
    purpose: 'chat',
    state: 'ok',
    input_tokens: 1_000,
    output_tokens: 20,
    cost_micros: 1_250_000,
    day: '2026-02-03',
    started_at: at,
    ended_at: at,
  });
  const { page, complaints } = await it.open('/models/usage?from=2026-02-01&to=2026-02-10&by=model', { who: 'ada' });
  await page.locator('canvas').waitFor();
  await page.getByText('As a table').click();
  await page.getByRole('row', { name: '2026-02-03 $1.25' }).waitFor();
  await page.getByRole('table', { name: 'Usage by model' }).getByText('gpt-5.5').waitFor();
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('first steps are hidden', async () => {
  const { page } = await it.open('/', { who: 'ada' });
  await page.getByRole('button', { name: 'Hide' }).click();
  await page.getByRole('region', { name: 'First steps' }).waitFor({ state: 'detached' });
  expect((await it.world.as('ada').onboarding.get()).dismissed_at).not.toBeNull();
  await page.context().close();
});
