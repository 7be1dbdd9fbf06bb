// The documentation in the browser: search, menu, headings, and what does not exist.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DashboardWorld, dashboardWorld, settled, takenOver } from './dashboard.ts';

let it: DashboardWorld;
beforeAll(async () => {
  it = await dashboardWorld();
});
afterAll(() => it.close());

test('the search finds places, marks the words, keeps them in the address, and leads to the heading', async () => {
  const { page, complaints } = await it.open('/docs');
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  const field = page.getByRole('searchbox', { name: 'Search the documentation' });
  await field.click();
  // Not by a function that the page repeats: the content security policy lets none be made of a string.
  await expect.poll(() => page.evaluate("performance.getEntriesByType('resource').some(({ name }) => name.includes('docs-search'))")).toBe(true);
  await field.pressSequentially('egress proxy');
  await page.getByRole('heading', { name: 'Documentation: “egress proxy”' }).waitFor();
  expect(new URL(page.url()).search).toBe('?q=egress+proxy');
  const found = page.getByRole('list').filter({ has: page.locator('mark') });
  expect(await found.locator('mark').first().textContent()).toMatch(/^(egress|proxy)$/i);

  await page.reload();
  await takenOver(page);
  await page
    .getByRole('link', { name: /6\. No network but the egress proxy/ })
    .first()
    .waitFor();
  await field.focus();
  await field.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  const second = await page.evaluate<string>('document.activeElement.getAttribute("href")');
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.pathname + url.hash === second);
  await expect.poll(() => field.inputValue()).toBe('');
  // Nothing leaves the machine, and the server answers no search.
  expect(asked.filter((path) => !/^\/(?:assets|docs|v1\/auth)/.test(path))).toEqual([]);
  expect(complaints).toEqual([]);
});

test('links between pages lead to their headings, which are in view', async () => {
  const { page, complaints } = await it.open('/docs/authoring');
  await page.getByRole('link', { name: 'From an API description' }).click();
  await page.waitForURL('**/docs/authoring/services#from-an-api-description');
  const heading = page.locator('#from-an-api-description');
  await heading.waitFor();
  await expect.poll(async () => (await heading.boundingBox())?.y ?? -1, { timeout: 5_000 }).toBeLessThan(300);
  expect((await heading.boundingBox())?.y).toBeGreaterThan(40);
  await page.getByRole('link', { name: /^Next/ }).click();
  await page.getByRole('heading', { level: 1, name: 'Bring the agent you already have' }).waitFor();
  expect(await page.title()).toBe('Bring the agent you already have · svc');
  expect(complaints).toEqual([]);
});

test('a code block is copied as it is shown; of a session only the commands', async () => {
  const { page } = await it.open('/docs');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copy the commands' }).click();
  await expect.poll(() => page.evaluate<string>('navigator.clipboard.readText()')).toMatch(/^svc deploy docs\/samples\/greeter\nsvc call /);
});

test('on a phone the menu is folded, and folds again on the next page', async () => {
  const { page } = await it.open('/docs', { width: 'phone' });
  await page.getByText('All pages').click();
  await page.getByRole('navigation', { name: 'Documentation, all pages' }).getByRole('link', { name: 'Security model' }).click();
  await page.getByRole('heading', { level: 1, name: 'Security model' }).waitFor();
  expect(await page.getByRole('navigation', { name: 'Documentation, all pages' }).isVisible()).toBe(false);
});

test('an address without a page says so', async () => {
  for (const path of ['/docs/no-such-page', '/docs/constructor']) {
    const opened = await it.open(path);
    await settled(opened);
    await opened.page.getByRole('heading', { level: 1, name: 'Nothing here' }).waitFor();
    await opened.page.context().close();
  }
});
