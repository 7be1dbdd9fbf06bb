// A decision that two members of an organization take, each in their browser; and the page of the rules.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '#contract/client.ts';
import { newId } from '#core/kernel/ids.ts';
import { inTx } from '#core/kernel/tx.ts';
import { openWait } from '#core/pauses/wait/open.ts';
import { liveAgent, runOf } from '../support/runs.ts';
import { type DashboardWorld, dashboardWorld } from './dashboard.ts';

const SLUG = 'acme-votes';
let it: DashboardWorld;
let organizationId: string;
let emails: { ada: string; ben: string };

beforeAll(async () => {
  it = await dashboardWorld();
  const { db } = it.world.ctx;
  const made = await it.world.as('ada').organizations.create({ body: { slug: SLUG, name: 'Acme' } });
  organizationId = made.organization_id;
  const [ada, ben] = await Promise.all([it.world.as('ada').auth.me(), it.world.as('ben').auth.me()]);
  emails = { ada: ada.email, ben: ben.email };
  const now = new Date();
  await db('organization_members').insert({
    member_id: newId('mem'),
    organization_id: organizationId,
    user_id: ben.user_id,
    email: ben.email.toLowerCase(),
    role: 'auditor',
    state: 'active',
    source: 'person',
    created_at: now,
    updated_at: now,
    joined_at: now,
  });
  const rule = { name: 'finance', when: { paths: ['finance/**'] }, approvers: { people: [ada.email, ben.email] }, deadline_seconds: 7_200 };
  await approvals().setPolicy({ params: { slug: SLUG }, body: { rules: [rule] } });
});
afterAll(() => it.close());

const approvals = () => createClient({ baseUrl: it.world.url, token: it.world.tokens.ada }).organizationApprovals;

async function asks(): Promise<string> {
  const { ctx } = it.world;
  const run = runOf(ctx, await liveAgent(ctx, organizationId), organizationId, { caller: { kind: 'api_token', id: 'tok_1' } });
  const waitId = `scr_${randomUUID()}`;
  const read = ['finance/2026.csv'];
  const request = {
    bucket: `usr:${organizationId}`,
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
  await inTx(run, (ctx) => openWait(ctx, { waitId, kind: 'scope_request', prompt: 'asks to read finance/2026.csv', request, timeoutSeconds: 3_600, approval }));
  return waitId;
}

const shot = (name: string) =>
  process.env.SVC_SCREENSHOTS === undefined ? undefined : { path: join(process.env.SVC_SCREENSHOTS, `${name}.png`), fullPage: true };

test('each sees who is missing and votes; the second approval ends it', async () => {
  const id = await asks();
  const first = await it.open(`/inbox?org=${SLUG}`, { who: 'ada' });
  const card = first.page.locator(`[data-wait="${id}"]`);
  const votes = card.getByRole('region', { name: 'Votes' });
  await votes.getByText('0 of 2 have approved').waitFor();
  await votes.getByText(`Missing: ${emails.ada}, ${emails.ben}`).waitFor();
  const taken = shot('approval card');
  if (taken) await first.page.screenshot(taken);
  const bell = first.page.locator('[data-count]');
  expect(await bell.getAttribute('data-count')).toBe('1');
  await card.getByRole('button', { name: 'Approve' }).click();
  await card.getByText('Your vote is taken: 1 of 2 have approved.').waitFor();
  // It still waits, but not for this reader.
  await bell.waitFor({ state: 'detached' });
  const second = await it.open(`/inbox?org=${SLUG}`, { who: 'ben' });
  const theirs = second.page.locator(`[data-wait="${id}"]`);
  await theirs.getByText(`Missing: ${emails.ben}`).waitFor();
  await theirs.getByRole('button', { name: 'Approve' }).click();
  await theirs.getByText('Sent. The skill continues.').waitFor();
  expect(await it.world.ctx.db('waits').where({ wait_id: id }).first('state')).toEqual({ state: 'approved' });
  expect([...first.complaints, ...second.complaints]).toEqual([]);
  await Promise.all([first, second].map(({ page }) => page.context().close()));
});

test('the page says who approves what, and names a delegate', async () => {
  const { page } = await it.open(`/organizations/${SLUG}/approvals`, { who: 'ada' });
  await page.getByText(`all of ${emails.ada}, ${emails.ben}`).waitFor();
  await page.getByText('files finance/**').waitFor();
  const taken = shot('approval rules');
  if (taken) await page.screenshot(taken);
  const until = new Date(Date.now() + 86_400_000).toISOString();
  await approvals().delegate({ params: { slug: SLUG }, body: { to: emails.ben, ends_at: until } });
  await page.reload();
  const row = page.getByRole('row', { name: new RegExp(emails.ben) }).filter({ hasText: 'active' });
  await row.getByRole('button', { name: 'End' }).click();
  await page
    .getByRole('row', { name: new RegExp(emails.ben) })
    .filter({ hasText: 'revoked' })
    .waitFor();
  await page.context().close();
});
