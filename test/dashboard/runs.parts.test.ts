// Runs and what they ask, in the browser, over the whole API and the real workflow engine: what is decided
// here is what the database has.
import { randomUUID } from 'node:crypto';
import { Runtime } from '@temporalio/worker';
import { pino } from 'pino';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { clientOf } from '#contract/client.ts';
import { runContext } from '#contract/run/run-context.ts';
import { createWaitActivities } from '#activities/waits.ts';
import { createDeployActivities } from '#activities/deploy.ts';
import { appendEvents } from '#core/jobs/append-event.ts';
import { mintRunCredential } from '#core/runs/run/credential.ts';
import { temporalLogger } from '#worker/logger.ts';
import { startTestWorkers } from '../support/workers.ts';
import { type LiveAgent, listenAs, liveAgent, type Machine, runOf } from '../support/runs.ts';
import { testTemporal } from '../support/servers.ts';
import { type DashboardWorld, dashboardWorld, reaches } from './dashboard.ts';
import { addRunStory, type RunStory } from './run-story.ts';

let it: DashboardWorld;
let story: RunStory;
let ada: string;
let agent: LiveAgent;
let machine: Machine;
let stop: () => Promise<unknown>;

beforeAll(async () => {
  // Only waits are worked at here; the rest would be logged as work that nobody knows.
  Runtime.install({ logger: temporalLogger(pino({ level: 'silent' })), shutdownSignals: [] });
  const temporal = await testTemporal();
  it = await dashboardWorld({ temporal });
  const { ctx } = it.world;
  ada = (await ctx.db('users').where('email', 'like', 'ada-%').first('user_id'))?.user_id ?? '';
  // Only what is asked here waits.
  await ctx.db('waits').delete();
  agent = await liveAgent(ctx, ada);
  machine = await listenAs(ctx, agent);
  const activities = { ...createDeployActivities({ ...ctx, node: 'local' }), ...createWaitActivities(ctx) };
  stop = await startTestWorkers(temporal, activities);
  story = await addRunStory(it.world);
  await ctx.db('waits').where({ state: 'pending' }).delete();
});
afterAll(async () => {
  await stop();
  await machine.close();
  await it.close();
});

const waitRow = async (id: string) => (await it.world.ctx.db('waits').where({ wait_id: id }).first()) ?? { state: 'gone', resolution: null };
const page = async (path: string): Promise<Page> => (await it.open(path, { who: 'ada' })).page;

/** As a running skill asks. */
async function ask(prompt: string): Promise<string> {
  const { ctx, url } = it.world;
  const run = runOf(ctx, agent, ada);
  const id = `qst_${randomUUID()}`;
  const token = await mintRunCredential(ctx.drivers.vault, run.actor, Date.now() + 60_000);
  await clientOf({ runContext }, { baseUrl: url, token }).runContext.ask({ body: { question_id: id, prompt, timeout_seconds: 120 } });
  await vi.waitFor(async () => expect(await ctx.drivers.workflows.describe(`wait:${id}`)).toBe('running'), { timeout: 20_000 });
  return id;
}

test('a question is answered by the keyboard, and another tab shows that it is', async () => {
  const id = await ask('Which color?');
  const [one, other] = await Promise.all([page('/inbox'), page('/inbox')]);
  await other.getByText('Which color?').waitFor();
  await one.getByText('Which color?').waitFor();
  await one.keyboard.press('j');
  await one.waitForURL((url) => url.searchParams.get('wait') === id);
  await one.keyboard.press('Enter');
  await one.keyboard.type('blue');
  await one.keyboard.press('Enter');
  await one.getByText('Sent. The skill continues.').waitFor();
  await vi.waitFor(async () => expect(await waitRow(id)).toMatchObject({ state: 'answered', resolution: { answer: 'blue' } }), { timeout: 10_000 });
  await other.getByText(/^You answered this/).waitFor();
  await other.getByText('Questions of your runs, and what they may do only with your consent.').waitFor();
});

test('a request whose answer was lost is sent again as the same one; a decision from elsewhere is told', async () => {
  const [lost, late] = [await ask('Is it lost?'), await ask('Is it late?')];
  const tab = await page('/inbox');
  const card = (id: string) => tab.locator(`[data-wait="${id}"]`);
  await card(late).waitFor();
  // What is shown stays as it is now.
  await tab.route(/\/v1\/me\/waits\?/, (route) => route.abort());
  const ids: (string | undefined)[] = [];
  await tab.route(/\/chat\/questions\//, async (route) => {
    ids.push(route.request().headers()['x-request-id']);
    if (ids.length > 1) return route.fallback();
    await reaches(it, route, 'ada');
    return route.abort();
  });
  await card(lost).getByPlaceholder('Your answer').fill('found');
  await card(lost).getByRole('button', { name: 'Answer' }).click();
  await card(lost).getByText('Sent. The skill continues.').waitFor();
  expect(ids).toEqual([ids[0], ids[0]]);
  expect(await waitRow(lost)).toMatchObject({ state: 'answered', resolution: { answer: 'found' } });

  await it.world.as('ada').chat.answerQuestion({ params: { question_id: late }, body: { answer: 'from elsewhere' } });
  await card(late).getByPlaceholder('Your answer').fill('too late');
  await card(late).getByRole('button', { name: 'Answer' }).click();
  await card(late)
    .getByText(/^You answered this .* Your answer changed nothing\.$/)
    .waitFor();
  expect(await waitRow(late)).toMatchObject({ resolution: { answer: 'from elsewhere' } });
});

test('ten thousand events are few lines on the page; after a lost network each comes once', async () => {
  const { db } = it.world.ctx;
  const job = (await db('runs').where({ run_id: story.long }).first('job_id'))?.job_id ?? '';
  const tab = await page(`/runs/${story.long}?tab=events`);
  await tab.getByText('10,002 events, live').waitFor();
  expect(await tab.getByRole('option').count()).toBeLessThan(80);
  await appendEvents(db, job, [{ kind: 'run.progress', payload: { message: 'One more' } }]);
  await tab.getByText('10,003 events, live').waitFor();
  const list = tab.getByRole('listbox', { name: 'Events' });
  await list.getByText('One more').waitFor();
  // What happens now is above the tabs.
  await tab.getByRole('region', { name: 'Now' }).getByText('One more').waitFor();
  await tab.context().setOffline(true);
  await appendEvents(db, job, [{ kind: 'run.progress', payload: { message: 'Missed' } }]);
  await tab.context().setOffline(false);
  await appendEvents(db, job, [{ kind: 'run.progress', payload: { message: 'The last one' } }]);
  await tab.getByText('10,005 events, live').waitFor();
  await list.getByText('The last one').waitFor();
});

test('the newest event is in sight however fast they come, until one scrolls up', async () => {
  const { db } = it.world.ctx;
  const tab = await page(`/jobs/${story.waitingJob}`);
  const list = tab.getByRole('listbox', { name: 'Events' });
  const send = (message: string, times: number) =>
    appendEvents(
      db,
      story.waitingJob,
      Array.from({ length: times }, () => ({ kind: 'run.progress', payload: { message } })),
    );
  const box = `document.querySelector('[role=listbox][aria-label=Events]')`;
  const toEnd = () => tab.evaluate<number>(`${box}.scrollHeight - ${box}.scrollTop - ${box}.clientHeight`);
  await tab.getByText(/ events, live/).waitFor();
  for (let n = 1; n <= 60; n += 1) await send(`step ${n}.`, 1 + (n % 3));
  await list.getByText('step 60.').last().waitFor();
  await expect.poll(toEnd).toBeLessThan(1);
  await list.hover();
  await tab.mouse.wheel(0, -900);
  await expect.poll(toEnd).toBeGreaterThan(600);
  const before = Number((await tab.getByText(/ events, live/).textContent())?.split(' ')[0]);
  await send('unseen', 1);
  await tab.getByText(`${before + 1} events, live`).waitFor();
  expect(await toEnd()).toBeGreaterThan(600);
  await tab.mouse.wheel(0, 5_000);
  await expect.poll(toEnd).toBeLessThan(1);
  await send('seen again', 1);
  await list.getByText('seen again').waitFor();
  await expect.poll(toEnd).toBeLessThan(1);
});

test('the timeline is read by the keyboard, and what is shown stands in the address', async () => {
  const tab = await page(`/runs/${story.ended}`);
  const spans = tab.getByRole('treegrid', { name: 'Spans' });
  await spans.getByRole('row').first().waitFor();
  await expect.poll(() => spans.getByRole('row').count()).toBe(8);
  // A day of waiting is a strip with how long it was.
  await tab.getByText('1 d', { exact: true }).first().waitFor();
  // Each key and letter counts, however fast they come.
  const filter = tab.getByLabel('Filter spans');
  await filter.pressSequentially('dictionary');
  expect(await filter.inputValue()).toBe('dictionary');
  await tab.waitForURL((url) => url.searchParams.get('find') === 'dictionary');
  await filter.fill('');
  await expect.poll(() => spans.getByRole('row').count()).toBe(8);
  await spans.focus();
  for (let n = 0; n < 4; n += 1) await tab.keyboard.press('ArrowDown');
  expect(await spans.getByRole('row', { selected: true }).getAttribute('aria-rowindex')).toBe('4');
  await tab.getByLabel('Errors only').check();
  await expect.poll(() => spans.getByRole('row').count()).toBe(3);
  await spans.focus();
  await tab.keyboard.press('End');
  await tab.keyboard.press('Enter');
  await tab.getByRole('region', { name: 'Span', exact: true }).getByText('the dictionary has no page 12').first().waitFor();
  const { searchParams } = new URL(tab.url());
  expect([searchParams.get('errors'), searchParams.get('look'), searchParams.get('span')]).toEqual(['true', 'true', 'bbbbbbbbbbbbbbbb']);
  await tab.keyboard.press('Escape');
  await tab.getByRole('button', { name: 'Zoom in' }).click();
  await tab.waitForURL((url) => url.searchParams.has('from'));
});

test('a receipt is verified here, and one that was changed is not good', async () => {
  const tab = await page(`/runs/${story.ended}?tab=receipt`);
  await tab.getByText('The receipt holds.').waitFor();
  // Arguments, result and the receipt before it are checked against it, too.
  expect(await tab.getByRole('list', { name: 'Checks' }).getByText('not checked').count()).toBe(0);
  const row = await it.world.ctx.db('receipts').where({ receipt_id: story.receipt }).first('token');
  const [payload = '', signature = ''] = (row?.token ?? '').split('.');
  const changed = Buffer.from(Buffer.from(payload, 'base64url').toString().replace('"skill":"greet"', '"skill":"other"')).toString('base64url');
  const open = (await it.open('/receipts')).page;
  await open.getByRole('textbox', { name: 'Receipt' }).fill(`${payload}.${signature}`);
  await open.getByText('The receipt holds.').waitFor();
  await open.getByRole('textbox', { name: 'Receipt' }).fill(`${changed}.${signature}`);
  await open.getByText('The receipt does not hold.').waitFor();
});

test('a run is judged, begun again with its arguments, and cancelled', async () => {
  const { db } = it.world.ctx;
  const tab = await page(`/runs/${story.ended}`);
  await tab.getByRole('button', { name: 'This run was good' }).click();
  await expect.poll(() => tab.getByRole('button', { name: 'This run was good' }).getAttribute('aria-pressed')).toBe('true');
  await tab.getByRole('button', { name: 'Run again', exact: true }).click();
  await tab.waitForURL((url) => url.pathname.startsWith('/runs/run_') && !url.pathname.endsWith(story.ended));
  const again = tab.url().split('/').at(-1)?.split('?')[0] ?? '';
  expect(await db('runs').where({ run_id: again }).first('args', 'skill')).toEqual({ args: { name: 'Ada' }, skill: 'greet' });
  // A person looks at it: it is driven at once.
  await expect.poll(async () => (await db('runs').where({ run_id: again }).first('state'))?.state).toBe('succeeded');
  await tab.goto(`${it.address}/runs/${story.waiting}`);
  await tab.getByRole('button', { name: 'Cancel the run' }).click();
  await tab.getByRole('dialog').getByRole('button', { name: 'Cancel the run' }).click();
  await tab.getByText('The run is being cancelled.').waitFor();
  expect(await db('job_events').where({ job_id: story.waitingJob, kind: 'job.cancel_requested' })).toHaveLength(1);
});
