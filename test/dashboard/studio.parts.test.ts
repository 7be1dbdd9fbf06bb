// Simulations, trial rooms, teams and the policy of the control room in the browser, over the real API: what
// is sent is there afterwards, and is shown.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { advanceKernelRun } from '#core/studio/kernel/steps.ts';
import { endStudioRun } from '#core/studio/studio-run/end.ts';
import { move } from '#core/studio/studio-run/step.ts';
import { dashboardWorld, type DashboardWorld, reaches, shoot, violations } from './dashboard.ts';

let it: DashboardWorld;
beforeAll(async () => {
  it = await dashboardWorld();
});
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

test('contestants whose first request got no answer are sent again as the same request', async () => {
  const { world } = it;
  const slug = 'sent-twice';
  await world.as('ada').trialRooms.create({ body: { title: 'Sent twice', slug, goal: 'Greet', cases: [{ inputs: { name: 'Ada' } }] } });
  const { page } = await it.open(`/trials/${slug}?add=true`, { who: 'ada' });
  const keys: (string | undefined)[] = [];
  await page.route(/\/trial-rooms\/sent-twice\/runs/, async (route) => {
    if (route.request().method() !== 'POST') return route.fallback();
    keys.push(route.request().headers()['idempotency-key']);
    if (keys.length > 1) return route.fallback();
    await reaches(it, route, 'ada');
    return route.abort();
  });
  const form = page.getByRole('form', { name: 'Let them answer' });
  await form.getByText('JSON', { exact: true }).click();
  const agent = world.records['name'] ?? '';
  await form.getByRole('textbox', { name: /as JSON/ }).fill(JSON.stringify({ contestants: [{ agent, skill: 'greet' }] }));
  await button(page, 'Let them answer').click();
  await expect.poll(() => keys).toHaveLength(1);
  await button(page, 'Let them answer').click();
  await page.getByText('They answer now.').waitFor();
  expect(keys).toEqual([keys[0], keys[0]]);
  expect((await world.as('ada').trialRooms.get({ params: { slug } })).contestants).toHaveLength(1);
  await page.context().close();
});

test('a guest reads the source of an agent, signs in, and it is theirs', async () => {
  const { page, complaints } = await it.open('/studio/guest');
  await page.getByLabel('Name').fill('guest-watch');
  await page.getByLabel('Goal').fill('Alert me when the website is down');
  await button(page, 'Write the source').click();
  // What the recipe lacks is asked for, in its words.
  await page.getByLabel('Url', { exact: true }).fill('https://harbour.example.org/');
  await button(page, 'Write the source').click();
  await page.getByRole('heading', { name: 'Source' }).waitFor();
  await page.getByRole('button', { name: 'svc.yaml' }).click();
  await page.getByRole('group', { name: 'svc.yaml' }).getByText('guest-watch').waitFor();
  expect(await violations(page)).toEqual([]);
  await shoot(page, 'studio guest run');
  const token = await page.evaluate<string>("sessionStorage.getItem('svc.studio.guest')");
  expect(page.url()).not.toContain('sgr_');
  const signIn = await page.getByRole('link', { name: 'Sign in and continue' }).getAttribute('href');
  expect(signIn).toContain('redirect_to=%2Fstudio%2Fguest');
  expect(signIn).not.toContain('sgr_');
  // The browser names the refusal that asked for what was missing.
  expect(complaints.filter((text) => !text.includes('422'))).toEqual([]);
  await page.context().close();

  // The same tab, after it came back from signing in.
  const { page: back } = await it.open('/studio/guest', { who: 'ada' });
  await back.evaluate(`sessionStorage.setItem('svc.studio.guest', ${JSON.stringify(token)})`);
  await back.reload();
  await back.getByLabel('Name of the agent').fill('guest-watch-2');
  await button(back, 'Claim agent').click();
  await back.getByRole('heading', { name: 'guest-watch-2' }).waitFor();
  expect(await back.evaluate("sessionStorage.getItem('svc.studio.guest')")).toBeNull();
  expect((await it.world.as('ada').agentStudio.getGuest({ params: { token } })).claimed).toBe(true);
  await back.context().close();
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
  await page.getByText('No step is done').waitFor();
  expect((await it.world.as('ada').collectiveRuntime.runs({ query: { limit: 200 } })).items).toHaveLength(before + 1);
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('the policy of the control room is changed, and the change is listed', async () => {
  const { page, complaints } = await it.open('/control-room', { who: 'ada' });
  await button(page, 'Change').click();
  await page.getByLabel('Calls of agents in a run').first().fill('3');
  await button(page, 'Save policy').click();
  await page.getByRole('table', { name: 'Changes of the policy' }).waitFor();
  expect((await it.world.as('ada').controlRoom.get({ query: {} })).policy).toMatchObject({ max_agent_calls_per_run: 3 });
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('an agent is made: its goal is resolved, the plan is shown, its recipe is filled in, and each step is seen as it happens', async () => {
  const { page, complaints } = await it.open('/studio', { who: 'ada' });
  await button(page, 'Create an agent').click();
  await page.getByLabel('Name').fill('lighthouse-watch');
  await page.getByLabel('Goal').fill('Alert me when the website of the lighthouse is down');
  await button(page, 'See what is best').click();
  await page.getByRole('table', { name: 'Options' }).waitFor();
  await page.getByText('It still needs: url.').waitFor();
  await shoot(page, 'studio-plan-lacking');
  expect(await button(page, 'Build agent').getAttribute('data-hint')).toContain('needs url');
  await button(page, 'Fill in').first().click();
  await page.getByLabel(/^url/i).first().fill('https://lighthouse.example/');
  await button(page, 'Use this').click();
  await page.getByText('It has all that it needs.').waitFor();
  expect(await violations(page)).toEqual([]);
  await shoot(page, 'studio-plan');
  await button(page, 'Build agent').click();
  await page.waitForURL(/\/studio\/runs\/std_/);
  await page.getByText('1. Write: not yet').waitFor();

  const run_id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  const { ctx } = it.world;
  const run = await ctx.db('studio_runs').where({ run_id }).first();
  if (!run) throw new Error('no run was written');
  await move(ctx.db, run, 'building', { actor: 'coordinator', status: 'began', message: 'The source is written' });
  await page.getByText('coordinator The source is written').waitFor();
  await page.getByText('1. Write: now').waitFor();
  await button(page, 'Cancel').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).last().click();
  await page.getByText('It is being cancelled.').first().waitFor();
  await endStudioRun(ctx, run.job_id ?? '', { code: 'cancelled', message: 'You cancelled it' });
  await page.getByText('1. Write: stopped here').waitFor();
  expect(await it.world.as('ada').agentStudio.get({ params: { run_id } })).toMatchObject({ state: 'cancelled', recipe: 'monitor_alert' });
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('an agent that does it is offered first, and another decision can be chosen', async () => {
  const { page, complaints } = await it.open('/studio?make=true&name=second-greeter&goal=Greets,%20for%20tests', { who: 'ada' });
  await button(page, 'See what is best').click();
  await page.getByRole('link', { name: `Call ${it.world.records.name}` }).waitFor();
  await shoot(page, 'studio-plan-existing');
  expect(await violations(page)).toEqual([]);
  await page.getByLabel('Build a new agent').check();
  await page.getByText('No recipe fits the goal. Reword it').waitFor();
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('a hundred ideas are shown, and the question before three are made says what they may cost', async () => {
  const { page, complaints } = await it.open('/studio/ideas', { who: 'ada' });
  await page.getByLabel('Theme', { exact: true }).last().fill('small harbours');
  await button(page, 'Show ideas').click();
  await page.getByRole('table', { name: 'Ideas' }).waitFor();
  const ideas = page.getByRole('link', { name: 'Make this one' });
  await expect
    .poll(async () => {
      await ideas.last().scrollIntoViewIfNeeded();
      return ideas.count();
    })
    .toBe(100);
  await button(page, 'Build the best three').click();
  await page.getByRole('dialog').getByText('nothing is spent').waitFor();
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('the daily look is switched on; a proposal is rejected with a reason, another accepted, to be done by its owner', async () => {
  const { world } = it;
  const { page, complaints } = await it.open('/studio/autopilot', { who: 'ada' });
  await button(page, 'Settings').click();
  await page.getByLabel('Look at my agents each day').check();
  await page.getByLabel('From').selectOption('07:00');
  await button(page, 'Save').click();
  await page.getByText('on, each day from 07:00').waitFor();
  await page.getByRole('link', { name: 'greet is slower than before' }).click();
  await page.getByLabel('Reason').fill('It is slow on purpose');
  await button(page, 'Reject').click();
  // The form goes once it is decided.
  await button(page, 'Reject').waitFor({ state: 'detached' });
  await page.getByText('It is slow on purpose').waitFor();
  const proposal_id = world.records['agentStudio.decide.proposal_id'] ?? '';
  expect(await world.as('ada').agentStudio.proposal({ params: { proposal_id } })).toMatchObject({ state: 'rejected', reason: 'It is slow on purpose' });

  await page.getByRole('link', { name: 'Autopilot' }).click();
  await page.getByRole('link', { name: 'greet fails more often than before' }).click();
  await page.getByRole('region', { name: 'Basis' }).getByText('30 % of the calls of greet').waitFor();
  await button(page, 'Accept').click();
  await button(page, 'Accept').waitFor({ state: 'detached' });
  const accepted = world.records['agentStudio.proposal.proposal_id'] ?? '';
  expect(await world.as('ada').agentStudio.proposal({ params: { proposal_id: accepted } })).toMatchObject({ state: 'accepted', run_id: null });
  expect(complaints).toEqual([]);
  await page.context().close();
});
