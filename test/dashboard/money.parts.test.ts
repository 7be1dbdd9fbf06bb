// Prices and charges in a browser over the real API: what an owner sets is what others see before they call,
// and what they paid is listed.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DashboardWorld, dashboardWorld } from './dashboard.ts';
import { addMoneyRecords } from './money-records.ts';

let it: DashboardWorld;
let name: string;
beforeAll(async () => {
  it = await dashboardWorld();
  name = it.world.records['name'] ?? '';
});
afterAll(() => it.close());

const button = (page: Page, label: string) => page.getByRole('button', { name: label, exact: true });
const prices = () => it.world.ctx.db('skill_prices').orderBy('version').select('skill', 'version', 'call_micros', 'second_micros', 'max_micros', 'free_calls', 'valid_until'); // prettier-ignore

test('a price is set, shown where the skill is called, and ended by who says so twice', async () => {
  const { page, complaints } = await it.open(`/agents/mine/${name}/prices`, { who: 'ada' });
  await button(page, 'Set a price').click();
  await page.getByLabel('A call', { exact: true }).fill('0.02');
  await page.getByLabel('A second', { exact: true }).fill('0.0000001');
  await page.getByText('at most six digits after the point').waitFor();
  await page.getByLabel('A second', { exact: true }).fill('0.001');
  await button(page, 'Set the price').click();
  await page.getByText('say the most that a call costs').waitFor();
  await page.getByLabel('At most', { exact: true }).fill('0.5');
  await page.getByLabel('Free calls').fill('3');
  await button(page, 'Set the price').click();
  await page.getByText('$0.02 a call, $0.001 a second, at most $0.50').waitFor();
  const [set] = await prices();
  expect(set).toEqual({
    skill: expect.any(String),
    version: 1,
    call_micros: 20_000,
    second_micros: 1_000,
    max_micros: 500_000,
    free_calls: 3,
    valid_until: null,
  });
  await page.goto(`${it.address}/agents/${name}/skills/${set?.skill}`);
  await page
    .getByText('Costs $0.02 a call, $0.001 a second, at most $0.50. The first 3 calls of an account are free. Your own calls of it cost nothing.')
    .waitFor();
  await page.goto(`${it.address}/agents/mine/${name}/prices`);
  await page.getByRole('row').getByRole('button', { name: 'Remove price' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove price' }).click();
  await page.getByText('costs nothing from now on').waitFor();
  await page
    .getByRole('table', { name: 'Prices that have ended' })
    .getByRole('row', { name: `${set?.skill} 1 $0.02 a call` })
    .waitFor();
  expect((await prices())[0]?.valid_until).not.toBeNull();
  expect(complaints.filter((text) => !text.includes('422'))).toEqual([]);
  await page.context().close();
});

test('charges say what each call cost', async () => {
  await it.world.ctx.db('skill_prices').delete();
  await addMoneyRecords(it.world);
  const { page, complaints } = await it.open('/charges', { who: 'ada' });
  const rows = page.getByRole('table', { name: 'Charges' }).getByRole('row');
  await rows.nth(1).waitFor();
  const shown = (await rows.allInnerTexts()).slice(1);
  expect(shown).toHaveLength(4);
  for (const [at, text] of [`up to $0.50`, '$0.024', '$0.00', 'free'].entries()) expect(shown[at]).toContain(text);
  expect(complaints).toEqual([]);
  await page.context().close();
});
