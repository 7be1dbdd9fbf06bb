// The main job in the browser, in one tab: sign-in asked for, home, a skill called by its form, its run, and
// an approval; with what the database then says.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '#contract/client.ts';
import { inTx } from '#core/kernel/tx.ts';
import { openWait } from '#core/pauses/wait/open.ts';
import { liveAgent, runOf } from '../support/runs.ts';
import { type DashboardWorld, dashboardWorld, type Opened, sessionCookie, settled } from './dashboard.ts';
import { addRunStory } from './run-story.ts';

let it: DashboardWorld;
let ended: string;
let tab: Opened;
beforeAll(async () => {
  it = await dashboardWorld();
  ({ ended } = await addRunStory(it.world));
  // Only what is asked here waits.
  await it.world.ctx.db('waits').delete();
});
afterAll(() => it.close());

async function go(path: string): Promise<Opened['page']> {
  await tab.page.goto(it.address + path);
  await settled(tab);
  return tab.page;
}

test('who is signed out is asked to sign in, and comes back to the page; signed in, home is theirs', async () => {
  tab = await it.open('/settings');
  const { page, complaints } = tab;
  await page.getByText('Sign in to see this page.').waitFor();
  expect(await page.getByRole('main').getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe('/v1/auth/oidc/start?redirect_to=%2Fsettings');
  await page.context().addCookies([await sessionCookie(it.world, 'ada')]);
  const { email } = await it.world.as('ada').auth.me();
  await go('/settings');
  await page.getByText(email).first().waitFor();
  await go('/');
  await page.getByRole('link', { name: 'Runs', exact: true }).first().waitFor();
  expect([complaints, it.unrendered]).toEqual([[], []]);
});

test('a skill is called by its form, and its receipt is there', async () => {
  const page = await go(`/agents/${it.world.records.name}/skills/greet`);
  await page.getByLabel('Name', { exact: true }).fill('Ada');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByText('Hello Ada').waitFor();
  const receipt = (await page.getByRole('link', { name: /^rcp_/ }).getAttribute('href')) ?? '';
  const [row] = await it.world.ctx.db('receipts').orderBy('created_at', 'desc').limit(1).select('receipt_id', 'skill', 'status');
  expect(row).toMatchObject({ skill: 'greet', status: 'ok' });
  expect(receipt).toContain(row?.receipt_id ?? 'no receipt');
  expect(tab.complaints).toEqual([]);
});

test('a run is found in the list, and opened', async () => {
  const page = await go('/runs');
  await page.locator(`a[href*="${ended}"]`).first().click();
  await page.waitForURL(new RegExp(`/runs/${ended}`));
  await settled(tab);
  await page.getByText('succeeded', { exact: true }).first().waitFor();
  expect(tab.complaints).toEqual([]);
});

test('what an agent asks of an organization is approved from its inbox', async () => {
  const { ctx, url, tokens } = it.world;
  const { email } = await it.world.as('ada').auth.me();
  const slug = `main-job-${randomUUID().slice(0, 8)}`;
  const { organization_id } = await it.world.as('ada').organizations.create({ body: { slug, name: 'Main job' } });
  const rule = { name: 'reports', when: { paths: ['reports/**'] }, approvers: { people: [email] }, deadline_seconds: 7_200 };
  await createClient({ baseUrl: url, token: tokens.ada }).organizationApprovals.setPolicy({ params: { slug }, body: { rules: [rule] } });
  const run = runOf(ctx, await liveAgent(ctx, organization_id), organization_id, { caller: { kind: 'api_token', id: 'tok_1' } });
  const waitId = `scr_${randomUUID()}`;
  const read = ['reports/2026.csv'];
  const request = {
    bucket: `usr:${organization_id}`,
    grant_id: null,
    old: null,
    read,
    write_prefix: null,
    mode: 'read_only' as const,
    ttl_seconds: 600,
    deny_patterns: [],
    reason: 'the yearly report',
    files: [],
  };
  const approval = { subject: 'scope_request' as const, paths: read };
  await inTx(run, (ctx) => openWait(ctx, { waitId, kind: 'scope_request', prompt: 'asks to read reports/2026.csv', request, timeoutSeconds: 3_600, approval }));
  const page = await go(`/inbox?org=${slug}`);
  const card = page.locator(`[data-wait="${waitId}"]`);
  await card.getByRole('button', { name: 'Approve' }).click();
  await card.getByText('Sent. The skill continues.').waitFor();
  expect(await ctx.db('waits').where({ wait_id: waitId }).first('state')).toEqual({ state: 'approved' });
  expect(tab.complaints).toEqual([]);
});
