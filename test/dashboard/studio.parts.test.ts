// Simulations, trial rooms, teams and the policy of the control room in the browser, over the real API: what is sent is there afterwards, and is shown.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { advanceKernelRun } from '#core/studio/kernel/steps.ts';
import { type DashboardWorld, dashboardWorld } from './dashboard.ts';

let it: DashboardWorld;
beforeAll(async () => {
  it = await dashboardWorld();
}, 120_000);
afterAll(() => it.close());

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

test('a simulation is started from its template, and its plots fill in while it runs', async () => {
  const { page, complaints } = await it.open('/simulations?show=templates', { who: 'ada' });
  await page.getByRole('link', { name: 'Run creator-market' }).click();
  await page.getByLabel('Title').fill('Which rule lasts?');
  await button(page, 'Run').click();
  await page.getByRole('heading', { name: 'Which rule lasts?' }).waitFor();
  const jobId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  expect(await page.getByRole('heading', { name: 'Measured' }).count()).toBe(0);
  await advanceKernelRun(it.world.ctx, jobId);
  await page.getByRole('heading', { name: 'Measured' }).waitFor();
  await page.getByText('25 of').waitFor();
  for (let step = await advanceKernelRun(it.world.ctx, jobId); step === 'again'; step = await advanceKernelRun(it.world.ctx, jobId));
  await page.getByText('succeeded').first().waitFor();
  await page.getByRole('heading', { name: 'Strategies' }).waitFor();
  expect(await page.locator('svg[role=img]').count()).toBeGreaterThan(0);
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('a contestant is rated, then known, then selected with a reason', async () => {
  const { world } = it;
  const slug = world.records['trialRooms.rate.slug'] ?? '';
  const { page, complaints } = await it.open(`/trials/${slug}?run=${world.records['trialRooms.rate.run_id']}`, { who: 'ada' });
  await page.getByText('is hidden until you have rated').waitFor();
  await button(page, 'Rate').click();
  await page.getByLabel('Score').fill('80');
  await button(page, 'Rate').last().click();
  await page.getByRole('link', { name: /\.greet/ }).waitFor();
  await button(page, 'Select').click();
  await page.getByLabel('Reason').fill('It is right');
  await button(page, 'Select').last().click();
  await page.getByRole('heading', { name: 'Selected' }).waitFor();
  expect(await world.as('ada').trialRooms.get({ params: { slug } })).toMatchObject({ state: 'decided', decision: { reason: 'It is right' } });
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('a team is planned, shown before anything is called, and started as it was planned', async () => {
  const { page, complaints } = await it.open('/teams?plan=true', { who: 'ada' });
  await page.getByLabel('Goal').fill('Greet everybody in the building');
  await button(page, 'Plan').click();
  await page.getByRole('table', { name: 'Members' }).waitFor();
  await page.getByRole('table', { name: 'Steps' }).waitFor();
  const before = (await it.world.as('ada').collectiveRuntime.runs({ query: { limit: 200 } })).items.length;
  await button(page, 'Start').click();
  await page.waitForURL(/\/teams\/dag_/);
  await page.getByText('0 of 0 steps that were done have a receipt').waitFor();
  expect((await it.world.as('ada').collectiveRuntime.runs({ query: { limit: 200 } })).items).toHaveLength(before + 1);
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('the policy of the control room is changed, and the change is listed', async () => {
  const { page, complaints } = await it.open('/control-room', { who: 'ada' });
  await button(page, 'Change').click();
  await page
    .getByLabel(/calls.per.run/i)
    .first()
    .fill('3');
  await button(page, 'Set the policy').click();
  await page.getByRole('table', { name: 'Changes of the policy' }).waitFor();
  expect((await it.world.as('ada').controlRoom.get({ query: {} })).policy).toMatchObject({ max_agent_calls_per_run: 3 });
  expect(complaints).toEqual([]);
  await page.context().close();
});
