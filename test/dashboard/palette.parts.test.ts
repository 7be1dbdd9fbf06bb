// The palette in the browser: every page and every agent by a few letters, from the keyboard alone.
import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DashboardWorld, dashboardWorld, settled, shoot, violations } from './dashboard.ts';

let it: DashboardWorld;
beforeAll(async () => {
  it = await dashboardWorld();
});
afterAll(() => it.close());

async function opened(path: string): Promise<Page> {
  const one = await it.open(path, { who: 'ada' });
  await settled(one);
  return one.page;
}

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Search or go to' });
const field = (page: Page) => page.getByRole('combobox', { name: 'Search or go to' });
/** What the focused element is called. */
const focused = (page: Page) => page.evaluate<string>(`document.activeElement.ariaLabel ?? document.activeElement.textContent`);

test('letters right after the key are the search, Enter goes there', async () => {
  const page = await opened('/agents');
  // When the dialog is made before its key, and when its key makes it.
  for (const [words, at] of [
    ['calendar', '/schedules'],
    ['grants', '/grants'],
  ] as const) {
    await page.keyboard.press('Control+k');
    await field(page).waitFor();
    await page.keyboard.type(words);
    expect(await field(page).inputValue()).toBe(words);
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`${at}$`));
    expect(await dialog(page).isVisible()).toBe(false);
    await page.locator('h1').first().waitFor();
  }
  await page.context().close();
});

test('an agent is found by its name, a run by its id; what is not found is said', async () => {
  const page = await opened('/');
  const name = it.world.records.name ?? '';
  await page.keyboard.press('/');
  await field(page).fill(name);
  await page.getByRole('option', { name, exact: true }).click();
  await page.waitForURL(new RegExp(`/agents/${name}$`));

  await page.keyboard.press('/');
  await field(page).fill('no page is called so');
  await dialog(page).getByText('No results').waitFor();
  const id = `run_${randomUUID()}`;
  await field(page).fill(id);
  await page.getByRole('option', { name: `Open ${id}` }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(`/runs/${id}$`));
  await page.context().close();
});

test('it holds the focus, gives it back, and opens without the letters of the last time', async () => {
  const page = await opened('/agents');
  await page.getByLabel('Search agents').focus();
  await page.keyboard.press('Control+k');
  await field(page).fill('runs');
  await page.keyboard.press('Tab');
  expect(await focused(page)).toBe('Search or go to');
  expect(await violations(page)).toEqual([]);
  await shoot(page, 'palette');
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'hidden' });
  expect(await focused(page)).toBe('Search agents');

  await page.getByRole('button', { name: 'Search or go to' }).click();
  await page.getByRole('option').nth(10).waitFor();
  expect(await field(page).inputValue()).toBe('');
  await page.mouse.click(5, 700);
  await dialog(page).waitFor({ state: 'hidden' });
  expect(await focused(page)).toContain('Search or go to');
  await page.context().close();
});

test('over a dialog, Escape closes only the palette', async () => {
  const page = await opened('/settings');
  await page.getByRole('button', { name: 'Sign out everywhere' }).first().click();
  const below = page.getByRole('dialog', { name: /Sign out/ });
  await below.waitFor();
  await page.keyboard.press('Control+k');
  await field(page).waitFor();
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'hidden' });
  expect(await below.isVisible()).toBe(true);
  await page.keyboard.press('Escape');
  await below.waitFor({ state: 'hidden' });
  await page.context().close();
});
