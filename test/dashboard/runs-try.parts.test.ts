// A skill tried on its page, with a real agent and the real workflow engine: the run outlives the page.
import { Runtime } from '@temporalio/worker';
import { pino } from 'pino';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDeployActivities } from '#activities/deploy.ts';
import { createRunActivities } from '#activities/runs.ts';
import { createWaitActivities } from '#activities/waits.ts';
import { temporalLogger } from '#worker/logger.ts';
import { testTemporal } from '../support/servers.ts';
import { startTestWorkers } from '../support/workers.ts';
import { type DashboardWorld, dashboardWorld, shoot, takenOver } from './dashboard.ts';
import { type Painter, servePainter } from './painter.ts';

let it: DashboardWorld;
let painter: Painter;
let stop: () => Promise<unknown>;

beforeAll(async () => {
  Runtime.install({ logger: temporalLogger(pino({ level: 'silent' })), shutdownSignals: [] });
  const temporal = await testTemporal();
  it = await dashboardWorld({ temporal });
  const { ctx } = it.world;
  const { user_id } = await it.world.as('ada').auth.me();
  painter = await servePainter(it.world, user_id);
  const activities = { ...createDeployActivities({ ...ctx, node: 'local' }), ...createWaitActivities(ctx), ...createRunActivities(ctx) };
  stop = await startTestWorkers(temporal, activities);
});
afterAll(async () => {
  await stop();
  await painter.stop();
  await it.close();
});

async function tried(skill: string, thing: string): Promise<{ page: Page; run: string }> {
  const { page } = await it.open(`/agents/${painter.name}/skills/${skill}`, { who: 'ada' });
  await page.getByLabel('Thing').fill(thing);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.waitForURL((url) => url.searchParams.has('run'));
  return { page, run: new URL(page.url()).searchParams.get('run') ?? '' };
}

const stateOf = async (run: string): Promise<string | undefined> => (await it.world.ctx.db('runs').where({ run_id: run }).first('state'))?.state;
const ended = (run: string, state: string): Promise<void> => expect.poll(() => stateOf(run), { timeout: 20_000 }).toBe(state);

test('a question is there after a reload and in a second tab; its answer ends one run, and Back leads to the form', async () => {
  const { page, run } = await tried('paint', 'The door');
  expect(await page.getByRole('button', { name: /background/i }).count()).toBe(0);
  await page.getByText('Which color for The door?').waitFor();
  await page.reload();
  await takenOver(page);
  await page.getByText('Which color for The door?').waitFor();
  await page.getByText('Mixing paint for The door.').waitFor();
  // Its arguments are in the form, to be changed.
  await expect.poll(() => page.getByLabel('Thing').inputValue()).toBe('The door');
  await shoot(page, 'try-question-desk');
  const second = await page.context().newPage();
  await second.goto(page.url());
  await second.getByPlaceholder('Your answer').fill('green');
  await second.keyboard.press('Enter');
  for (const tab of [second, page]) await tab.getByText('The door is green now').waitFor();
  await page.getByRole('link', { name: /^rcp_/ }).waitFor();
  expect(painter.painted).toEqual(['The door']);
  expect(await it.world.ctx.db('receipts').where({ run_id: run }).select('status')).toEqual([{ status: 'ok' }]);
  await page.goBack();
  await page.waitForURL((url) => !url.searchParams.has('run'));
  await page.getByText('Output and result appear here.').waitFor();
  await page.goForward();
  await page.getByText('The door is green now').waitFor();
  await page.context().close();
});

test('a page that is closed ends nothing; the list leads to the run, and another tab of Try shows it going on', async () => {
  const { page, run } = await tried('dry', 'The fence');
  await page.getByText('The fence dries.').waitFor();
  const address = page.url();
  await page.context().close();
  const { page: later } = await it.open('/runs', { who: 'ada' });
  await later.locator(`a[href*="${run}"]`).first().click();
  await later.waitForURL(new RegExp(`/runs/${run}`));
  await later.goto(address);
  await later.getByText('The fence dries.').waitFor();
  expect(await stateOf(run)).toBe('running');
  painter.dry();
  await later.getByText('The fence is dry').waitFor();
  await ended(run, 'succeeded');
  expect(painter.painted).not.toContain('The fence was left');
  await later.context().close();
});

test('a run is stopped from another tab; one that fails says why', async () => {
  const { page, run } = await tried('dry', 'The gate');
  await page.getByText('The gate dries.').waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('cancelled').first().waitFor();
  await ended(run, 'cancelled');
  await page.context().close();
  const { page: other, run: failed } = await tried('spill', 'The roof');
  await other.getByRole('alert').getByText('Code').waitFor();
  await ended(failed, 'failed');
  await shoot(other, 'try-failed-desk');
  await other.context().close();
});

test('where the account keeps nothing of its calls, the page says that a run ends with it, and a question holds it all the same', async () => {
  await it.world.as('ada').myRuns.keep({ body: { days: 0 } });
  const { page } = await it.open(`/agents/${painter.name}/skills/dry`, { who: 'ada' });
  await page.getByText('a run ends when you leave this page').waitFor();
  await page.getByLabel('Thing').fill('The wall');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByText('The wall dries.').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await expect.poll(() => painter.painted, { timeout: 20_000 }).toContain('The wall was left');
  await page.context().close();
  const asked = await tried('paint', 'The floor');
  await asked.page.getByText('Which color for The floor?').waitFor();
  await asked.page.reload();
  await asked.page.getByPlaceholder('Your answer').fill('red');
  await asked.page.keyboard.press('Enter');
  await asked.page.getByText('The floor is red now').waitFor();
  await asked.page.context().close();
  await it.world.as('ada').myRuns.keep({ body: { days: 1 } });
});
