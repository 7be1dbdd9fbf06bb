// Rules in the browser: what is wrong is marked as it is written, a change is tried before it is saved, an
// earlier version comes back.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '#contract/client.ts';
import { type DashboardWorld, dashboardWorld } from './dashboard.ts';

let it: DashboardWorld;
beforeAll(async () => {
  it = await dashboardWorld();
});
afterAll(() => it.close());

test('a change is checked, tried over what was decided, and only then saved', async () => {
  const { policy } = createClient({ baseUrl: it.world.url, token: it.world.tokens.ada });
  const { page, complaints } = await it.open('/policy', { who: 'ada' });
  const editor = page.getByRole('textbox', { name: 'Text of the rules' });
  await editor.getByText('no-example').first().waitFor();
  await page.getByText('2 policies are valid.').waitFor();
  const save = page.getByRole('button', { name: 'Save' });
  const tryIt = page.getByRole('button', { name: 'Try over the last 1,000 decisions' });

  await editor.fill('@id("no-org")\nforbid(principal, action == Action::"egres", resource in Host::"org");');
  await page.getByText(/Line 2, no-org:/).waitFor();
  await page.locator('.cm-lintRange-error').waitFor();
  expect(await tryIt.getAttribute('aria-disabled')).toBe('true');

  await editor.fill('@id("no-org")\nforbid(principal, action == Action::"egress", resource in Host::"org");');
  await page.getByText('1 policy is valid.').waitFor();
  expect(await save.getAttribute('aria-disabled')).toBe('true');
  await tryIt.click();
  await page.getByText('3 of the last 3 decisions would be others.').waitFor();
  await page.getByText('1 from allow to deny').waitFor();
  const others = page.getByRole('table', { name: 'Decisions that would be others' });
  await others.getByRole('row', { name: /api\.example\.org:443.*allow.*deny.*no-org/ }).waitFor();
  // It was only tried: what was decided is as it was, and the earlier version decides.
  expect((await policy.rules({ query: {} })).version).toBe(2);
  const decided = await policy.decisions({ query: {} });
  expect(decided.items.map(({ outcome }) => outcome).toSorted()).toEqual(['allow', 'ask', 'deny']);
  await save.click();
  await page.getByText('Version 3 is in effect.').waitFor();
  expect(await policy.rules({ query: {} })).toMatchObject({ version: 3, policies: [{ name: 'no-org' }] });

  await page.getByText('3, in effect').waitFor();
  await page.getByRole('button', { name: 'Load' }).nth(1).click();
  await editor.getByText('ask-before-spending').waitFor();
  await page.getByRole('link', { name: 'Decisions' }).click();
  await page.getByText('ask before spending', { exact: false }).or(page.getByText('ask-before-spending')).first().waitFor();
  await page.locator('input[aria-label=Outcome]').click();
  await page.getByRole('option', { name: 'deny' }).click();
  await page.getByText('api.example.org:443').waitFor({ state: 'detached' });
  await page.getByText('api.example.com:443').waitFor();
  expect(new URL(page.url()).search).toBe('?outcome=deny');
  expect(complaints).toEqual([]);
  await page.context().close();
});
