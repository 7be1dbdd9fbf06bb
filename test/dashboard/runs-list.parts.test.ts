// The one list of runs in the browser: the pages that became part of it, and its orders.
import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createJob } from '#core/jobs/create.ts';
import { transitionJob } from '#core/jobs/transition.ts';
import { inTx } from '#core/kernel/tx.ts';
import { createPlan } from '#core/conversation/plan/create.ts';
import { userActor } from '../support/verbs.ts';
import { type DashboardWorld, dashboardWorld, settled, shoot, violations } from './dashboard.ts';

let it: DashboardWorld;
let ada: string;
let agent: { id: string; name: string };
let plan: string;
const grant = `grt_${randomUUID()}`;
const MINUTE = 60_000;

beforeAll(async () => {
  it = await dashboardWorld();
  const { ctx, records } = it.world;
  const row = await ctx
    .db('agents')
    .where({ name: records['name'] ?? '' })
    .first();
  agent = { id: row?.agent_id ?? '', name: row?.name ?? '' };
  ada = row?.owner_id ?? '';
  const user = { ...ctx, actor: userActor(ada) };
  plan = (await inTx(user, (ctx) => createPlan(ctx, { ownerId: ada, threadId: null, title: 'Ask twice, then add', planner: 'rules', nodes: [] }))).dag_run_id;
  await ctx.db('subagent_runs').insert({
    grant_id: grant, owner_id: ada, agent_name: agent.name, skill: 'reported_skill', caller_agent: 'coordinator', source: 'reported',
    reported: JSON.stringify({ state: 'succeeded', ended_at: new Date().toISOString(), input_sha256: null, output_sha256: null, error_code: null }),
    started_at: new Date(Date.now() - MINUTE),
  }); // prettier-ignore
  const began = Date.now() - 60 * MINUTE;
  const seq = Number((await ctx.db('receipts').where({ agent_id: agent.id }).max<{ max: string }[]>('seq'))[0]?.max ?? 0);
  await ctx.db('receipts').insert(
    Array.from({ length: 120 }, (_, n) => ({
      receipt_id: `rcp_${randomUUID()}`, agent_id: agent.id, seq: seq + 1 + n, source: 'platform' as const, kid: 'k', token: 't', payload_sha256: '', status: 'ok' as const,
      payload: JSON.stringify({ agent: { name: agent.name, version: '3.1.4' }, ...(n % 40 === 0 && { charge: { amount_micros: 20_000 + n } }) }), skill: `skill_${n}`,
      caller_kind: 'user', caller_user_id: ada, run_id: `run_${randomUUID()}`, started_at: new Date(began + n * 1_000), ended_at: new Date(began + n * 1_000 + (n % 7) * 600_000),
      duration_ms: (n % 7) * 600_000, created_at: new Date(began + n * 1_000),
    })),
  ); // prettier-ignore
  const job = await inTx(user, (ctx) => createJob(ctx, { kind: 'adversarial_review_loop', title: 'Challenge it', ownerId: ada }));
  await transitionJob(ctx.db, job, { from: ['queued'], to: 'running' });
});
afterAll(() => it.close());

async function opened(path: string, width: 'desk' | 'phone' = 'desk'): Promise<Page> {
  const one = await it.open(path, { who: 'ada', width });
  await settled(one);
  return one.page;
}

const firstRow = (page: Page) => page.getByRole('table', { name: 'Work of the account' }).getByRole('row').nth(1);

test('the addresses of the lists that were pages lead to the one list with the filter set, and their own pages are reached from it', async () => {
  const page = await opened(`/calls?agent=${agent.name}`);
  await page.waitForURL((url) => url.pathname === '/runs' && url.searchParams.get('caller') === 'agent' && url.searchParams.get('agent') === agent.name);
  await page.getByRole('table', { name: 'Work of the account' }).getByText('Reported call').first().waitFor();
  await page.getByRole('link', { name: `${agent.name}.reported_skill` }).click();
  await page.waitForURL((url) => url.pathname === `/calls/${grant}`);
  await page.getByText('directly, and reported').waitFor();
  await page.context().close();
  const plans = await opened('/plans');
  await plans.waitForURL((url) => url.pathname === '/runs' && url.searchParams.get('kind') === 'dag');
  await plans.getByRole('link', { name: 'Ask twice, then add' }).click();
  await plans.waitForURL((url) => url.pathname === `/plans/${plan}`);
  await plans.goBack();
  await plans.getByRole('link', { name: 'Ask twice, then add' }).waitFor();
  // One press goes back to where one came from, not to the address that leads on.
  expect(new URL(plans.url()).pathname).toBe('/runs');
  await plans.context().close();
  const sessions = await opened(`/sessions?agent=${agent.name}`);
  await sessions.waitForURL((url) => url.pathname === '/runs' && url.searchParams.get('agent') === agent.name);
  await sessions.getByText('3.1.4').first().waitFor();
  await sessions.context().close();
});

test('the list is sorted by duration and by cost, and filtered by cost; kinds are words', async () => {
  const page = await opened('/runs');
  await page.getByText('Challenge', { exact: true }).first().waitFor();
  expect(await page.getByRole('table', { name: 'Work of the account' }).innerText()).not.toMatch(/[a-z]+_review_loop/);
  await shoot(page, 'runs-list-desk');
  await page.getByRole('combobox', { name: 'Order' }).click();
  await page.getByRole('option', { name: 'Longest first' }).click();
  await page.waitForURL((url) => url.searchParams.get('sort') === 'longest');
  await firstRow(page).getByText('1 h', { exact: true }).waitFor();
  await page.getByRole('combobox', { name: 'Order' }).click();
  await page.getByRole('option', { name: 'Most expensive first' }).click();
  await firstRow(page).getByText('$0.02008', { exact: true }).waitFor();
  await page.getByLabel('Cost at least, in dollars').fill('0.02005');
  await page.waitForURL((url) => url.searchParams.get('cost') === '20050');
  await expect.poll(() => page.getByRole('table', { name: 'Work of the account' }).getByRole('row').count()).toBe(2);
  await page.reload();
  await expect.poll(() => page.getByLabel('Cost at least, in dollars').inputValue()).toBe('0.02005');
  await shoot(page, 'runs-costs-desk');
  expect(await violations(page)).toEqual([]);
  await page.context().close();
  const phone = await opened('/runs?sort=costliest', 'phone');
  await shoot(phone, 'runs-costs-phone');
  await phone.context().close();
});

test('home names the kind of what runs in words', async () => {
  const page = await opened('/');
  await page.getByRole('table', { name: 'Running' }).getByText('Challenge', { exact: true }).first().waitFor();
  await page.context().close();
});
