// Forms as people meet them: a question whose fields stand in their author's order, with errors, a reload in
// the middle and its answer; and no name of the API on the platform's own forms.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inTx } from '#core/kernel/tx.ts';
import { openWait } from '#core/pauses/wait/open.ts';
import { Agent } from '#sdk/typescript/authoring/agent.ts';
import { skill } from '#sdk/typescript/authoring/skill.ts';
import { testAgent } from '#sdk/typescript/testing.ts';
import { z } from 'zod';
import { liveAgent, type LiveAgent, runOf } from '../support/runs.ts';
import { type DashboardWorld, dashboardWorld, settled } from './dashboard.ts';
import { pagePaths } from './paths.ts';

const NAMES = ['zebra', 'apple', 'mango'];
const ORDERED = z.object({ zebra: z.string(), apple: z.int().min(1).max(10), mango: z.enum(['tea', 'coffee']).optional() });

class Ordered extends Agent {
  name = 'ordered';
  description = 'Has its fields in an order.';
  version = '1.0.0';
  pick = skill({ description: 'Picks.', input: ORDERED, output: ORDERED }, async (_ctx, args) => args);
}

let it: DashboardWorld;
let agent: LiveAgent;
beforeAll(async () => {
  it = await dashboardWorld();
  const { user_id } = await it.world.as('ada').auth.me();
  const { card } = testAgent(Ordered);
  agent = await liveAgent(it.world.ctx, user_id, { card: { ...card, name: 'ordered' } });
});
afterAll(() => it.close());

test('the fields of a skill keep their order from the code to the card, the API and the form', async () => {
  const { card } = await it.world.as('ada').agents.get({ params: { name: agent.name } });
  const properties = card?.skills[0]?.input_schema['properties'];
  expect(Object.keys(properties ?? {})).toEqual(NAMES);
  const opened = await it.open(`/agents/${agent.name}/skills/pick`, { who: 'ada' });
  const form = opened.page.getByRole('form', { name: 'Arguments of pick' });
  await form.getByLabel('Zebra').waitFor();
  expect((await form.locator('label').allInnerTexts()).map((text) => text.replace(/\W/g, '')).filter((text) => NAMES.includes(text.toLowerCase()))).toEqual([
    'Zebra',
    'Apple',
    'Mango',
  ]);
  await opened.page.context().close();
});

test('a question is answered field by field: errors speak, a reload loses nothing, the answer keeps the order', async () => {
  const { ctx } = it.world;
  const { user_id } = await it.world.as('ada').auth.me();
  const run = runOf(ctx, agent, user_id);
  const waitId = `inr_${randomUUID()}`;
  const schema = z.toJSONSchema(ORDERED);
  await inTx(run, (ctx) => openWait(ctx, { waitId, kind: 'input_request', prompt: 'What **fruit**?', request: { schema }, timeoutSeconds: 3_600 }));
  const opened = await it.open('/inbox', { who: 'ada' });
  const { page, complaints } = opened;
  await settled(opened);
  const card = page.locator(`[data-wait="${waitId}"]`);
  await card.locator('strong').getByText('fruit').waitFor();
  await card.getByRole('button', { name: 'Send' }).click();
  await card.getByText('Required').first().waitFor();
  await card.getByLabel('Apple').fill('50');
  await card.getByText('A whole number from 1 to 10').waitFor();
  expect(await card.innerText()).not.toMatch(/expected|received|undefined/);
  await card.getByLabel('Apple').fill('7');
  await card.getByLabel('Mango').selectOption('tea');
  await page.reload();
  await card.getByText('Restored what you typed.').waitFor();
  expect(await card.getByLabel('Apple').inputValue()).toBe('7');
  await card.getByLabel('Zebra').fill('stripes');
  await card.getByRole('button', { name: 'Send' }).click();
  await card.getByText('Sent. The skill continues.').waitFor();
  const { rows } = await ctx.db.raw<{ rows: { asked: string; answer: string }[] }>(
    'select request::text as asked, resolution::text as answer from waits where wait_id = ?',
    [waitId],
  );
  const [row] = rows;
  expect(JSON.parse(row?.answer ?? '{}')).toMatchObject({ answer: { zebra: 'stripes', apple: 7, mango: 'tea' } });
  expect([namesIn(row?.answer), namesIn(row?.asked)]).toEqual([NAMES, NAMES]);
  expect(await page.evaluate('Object.keys(sessionStorage).filter((name) => name.startsWith("svc.draft"))')).toEqual([]);
  expect(complaints).toEqual([]);
  await page.context().close();
});

/** In the order of their first use as a member. */
function namesIn(json: string | undefined): string[] {
  return [...NAMES].toSorted((a, b) => (json ?? '').indexOf(`"${a}":`) - (json ?? '').indexOf(`"${b}":`));
}

const FORMS = [
  'proofs run',
  'organizations new',
  'organization invite',
  'organization approvals rules',
  'organization approvals delegate',
  'organization sso edit',
  'databases new',
  'bounties new',
  'teams plan',
  'trials make',
  'trial room add',
  'simulations start',
];

test.each(FORMS)('%s: no name of the API can be read', async (name) => {
  const path = pagePaths(it.world).find((one) => one.name === name);
  const opened = await it.open(path?.path ?? '', { who: path?.who ?? 'ada' });
  const { page } = opened;
  await settled(opened);
  const form = page.locator('form').first();
  await form.waitFor();
  const all = page.getByRole('button', { name: /^Add (?!to )/ });
  // Parts that are absent show their fields once they are added.
  for (let at = 0; at < 6 && (await all.count()) > at; at += 1) await all.nth(at).click();
  const hints = await page.evaluate('[...document.querySelectorAll("form [placeholder]")].map((one) => one.placeholder)');
  const words = [await form.innerText(), ...[hints].flat().map(String)];
  expect(words.join('\n').match(/\b[a-z]+_[a-z_]+\b/g) ?? []).toEqual([]);
  await page.context().close();
});
