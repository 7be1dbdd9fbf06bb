// C19. Decisions that were taken in another tab, ran out of time, or lost their run, where an older page or a
// mail's link still shows them.
import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inTx } from '#core/kernel/tx.ts';
import { cancelWait } from '#core/pauses/wait/ask.ts';
import { lockWait } from '#core/pauses/wait/hold.ts';
import { openWait } from '#core/pauses/wait/open.ts';
import { resolveLockedWait } from '#core/pauses/wait/record-outcome.ts';
import { type DashboardWorld, dashboardWorld } from '../dashboard/dashboard.ts';
import { liveAgent, runOf, type TestRun } from '../support/runs.ts';

let it: DashboardWorld;
let ada: string;
beforeAll(async () => {
  it = await dashboardWorld();
  ada = (await it.world.as('ada').auth.me()).user_id;
});
afterAll(() => it.close());

interface Asked {
  id: string;
  run: TestRun;
}

async function asks(): Promise<Asked> {
  const { ctx } = it.world;
  const run = runOf(ctx, await liveAgent(ctx, ada), ada);
  const waitId = `scr_${randomUUID()}`;
  const request = {
    bucket: `usr:${ada}`,
    grant_id: null,
    old: null,
    read: ['finance/2026.csv'],
    write_prefix: null,
    mode: 'read_only' as const,
    ttl_seconds: 600,
    deny_patterns: [],
    reason: 'the yearly report',
    files: [],
  };
  await inTx(run, (ctx) => openWait(ctx, { waitId, kind: 'scope_request', prompt: 'asks to read a file', request, timeoutSeconds: 3_600 }));
  return { id: waitId, run };
}

/** What the engine does once its time is up. */
async function expire({ id, run }: Asked): Promise<void> {
  await run.db('waits').where({ wait_id: id }).update({ expires_at: new Date() });
  await inTx(run, async (ctx) => {
    const held = await lockWait(ctx.db, id);
    if (held) await resolveLockedWait(ctx, held, { decision: 'expired' }, {});
  });
}

const inbox = async (path = '/inbox'): Promise<Page> => (await it.open(path, { who: 'ada' })).page;
const cardIn = (page: Page, id: string) => page.locator(`[data-wait="${id}"]`);
const noticeIn = async (page: Page, id: string) => (await cardIn(page, id).getByRole('status').allInnerTexts()).join();
const hasButtons = async (page: Page, id: string) =>
  (await cardIn(page, id)
    .getByRole('button', { name: /Approve|Deny/ })
    .count()) > 0;

test('approved in one tab, denied in the other: one decision, and the other tab says whose it is and since when', async () => {
  const { id } = await asks();
  const [one, other, watching] = [await inbox(), await inbox(), await inbox()];
  for (const page of [one, other, watching]) await cardIn(page, id).getByRole('button', { name: 'Approve' }).waitFor();
  // What is shown here stays as it is.
  await other.route(/\/v1\/me\/waits\?/, (route) => route.abort());
  await cardIn(one, id).getByRole('button', { name: 'Approve' }).click();
  await cardIn(one, id).getByText('Sent. The skill continues.').waitFor();
  await cardIn(other, id).getByRole('button', { name: 'Deny' }).click();
  await cardIn(other, id).getByRole('button', { name: 'Deny' }).click();
  await cardIn(other, id)
    .getByText(/^You approved this .*(now|ago)\. Your answer changed nothing\.$/)
    .waitFor();
  await cardIn(watching, id)
    .getByText(/^You approved this /)
    .waitFor();
  for (const page of [one, other, watching]) expect(await hasButtons(page, id)).toBe(false);
  expect(await it.world.ctx.db('waits').where({ wait_id: id }).first('state')).toEqual({ state: 'approved' });
  const late = await inbox(`/inbox?wait=${id}`);
  await cardIn(late, id)
    .getByText(/^You approved this /)
    .waitFor();
  expect(await hasButtons(late, id)).toBe(false);
  await Promise.all([one, other, watching, late].map((page) => page.context().close()));
});

async function cancel({ id, run }: Asked): Promise<void> {
  await cancelWait(run, { wait_id: id });
}

const AGAIN = 'Open the run to see its end, or call .* again if you still need it\\.$';
const ENDS: [state: string, end: (asked: Asked) => Promise<void>, words: RegExp][] = [
  ['expired', expire, new RegExp(`^The time to answer ended .*${AGAIN}`)],
  ['cancelled', cancel, new RegExp(`^The run ended before an answer came, .*${AGAIN}`)],
];

test.each(ENDS)(
  'one that has %s shows no buttons and what to do next, on a page that was open, at a late click and by the link of a mail',
  async (state, end, words) => {
    const asked = await asks();
    const [watching, clicking] = [await inbox(), await inbox()];
    for (const page of [watching, clicking]) await cardIn(page, asked.id).getByRole('button', { name: 'Approve' }).waitFor();
    await clicking.route(/\/v1\/me\/waits\?/, (route) => route.abort());
    await end(asked);
    expect(await it.world.ctx.db('waits').where({ wait_id: asked.id }).first('state')).toEqual({ state });
    await expect.poll(() => noticeIn(watching, asked.id)).toMatch(words);
    await cardIn(clicking, asked.id).getByRole('button', { name: 'Approve' }).click();
    await cardIn(clicking, asked.id).getByText('Your answer changed nothing.').waitFor();
    const linked = await inbox(`/inbox?wait=${asked.id}`);
    await expect.poll(() => noticeIn(linked, asked.id)).toMatch(words);
    for (const page of [watching, clicking, linked]) expect(await hasButtons(page, asked.id)).toBe(false);
    await Promise.all([watching, clicking, linked].map((page) => page.context().close()));
  },
);
