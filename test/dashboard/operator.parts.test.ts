// What operators do in the browser: suspend an account, change a setting, ask for the mail, purge an account
// once they have shown who they are.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '#contract/client.ts';
import { LoginError } from '#drivers/idp/port.ts';
import { addUser } from '../support/verbs.ts';
import { workersOf } from '../support/worker-builds.ts';
import { type DashboardWorld, dashboardWorld, shoot, violations } from './dashboard.ts';

let it: DashboardWorld;
beforeAll(async () => {
  it = await dashboardWorld();
});
afterAll(() => it.close());

const admin = () => it.world.as('operator').admin;
const idOf = async (who: 'ben' | 'operator') => (await it.world.as(who).auth.me()).user_id;

test('who is no operator sees nothing of it', async () => {
  const { page } = await it.open('/operator/users', { who: 'ada' });
  await page.getByText('This page is for operators of the installation.').waitFor();
  await page.context().close();
});

test('an account is found, suspended and let in again', async () => {
  const user_id = await idOf('ben');
  const { page } = await it.open('/operator/users', { who: 'operator' });
  await page.getByLabel('Search by e-mail or user id').fill(user_id);
  await page.waitForURL(/q=usr_/);
  const found = page.getByRole('table', { name: 'Users' }).getByRole('link');
  await expect.poll(() => found.count()).toBe(1);
  await found.click();
  await page.getByRole('button', { name: 'Suspend' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click();
  await page.getByRole('button', { name: 'Lift the suspension' }).waitFor();
  expect(await admin().controlPolicy({ params: { user_id } })).toMatchObject({ suspended: true, may_deploy: true });
  await page.getByRole('button', { name: 'Lift the suspension' }).click();
  await page.getByRole('button', { name: 'Suspend' }).waitFor();
  expect(await admin().controlPolicy({ params: { user_id } })).toMatchObject({ suspended: false, version: 2 });
  await page.context().close();
});

test('a setting is changed within its bounds alone', async () => {
  const { page } = await it.open('/operator/settings', { who: 'operator' });
  const row = page.getByRole('row').filter({ hasText: 'schedules_per_account' });
  await row.getByRole('textbox').fill('20000');
  await expect.poll(() => row.getByRole('button', { name: 'Set' }).isDisabled()).toBe(true);
  await row.getByRole('textbox').fill('150');
  await row.getByRole('button', { name: 'Set' }).click();
  await page.getByText('schedules_per_account is 150.').waitFor();
  expect(await admin().getSetting({ params: { key: 'schedules_per_account' } })).toMatchObject({ value: 150, version: 1 });
  await page.context().close();
});

test('a flag has another value for one account', async () => {
  const user_id = await idOf('ben');
  const { flag_key = '' } = it.world.records;
  const { page } = await it.open(`/operator/users/${user_id}`, { who: 'operator' });
  await page.getByRole('combobox', { name: `Value of ${flag_key}` }).selectOption('true');
  await page.getByText('The values are set.').waitFor();
  expect((await admin().userFeatureFlags({ params: { user_id } })).overrides).toEqual({ [flag_key]: true });
  await page.context().close();
});

test('an operator sees the builds of the workflow code, and makes one current by confirming it', async () => {
  const builds = await workersOf('first', 'second');
  try {
    it.world.ctx.drivers.workflowVersions = builds.versions;
    const listed = async () => (await createClient({ baseUrl: it.world.url, token: it.world.tokens.operator }).workerBuilds.list()).items;
    await expect.poll(async () => (await listed()).map(({ workers }) => workers), { timeout: 30_000 }).toEqual([1, 1]);
    const { page, complaints } = await it.open('/operator/workers', { who: 'operator' });
    await page.getByText('No worker runs the current build.').waitFor();
    const row = page.getByRole('table', { name: 'Builds' }).getByRole('row').filter({ hasText: 'second' });
    await row.getByRole('button', { name: 'Set as current' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Set as current' }).click();
    await row.getByText('current', { exact: true }).waitFor();
    expect((await listed()).filter(({ current }) => current).map(({ build_id }) => build_id)).toEqual(['second']);
    await page.getByText('No worker runs the current build.').waitFor({ state: 'detached' });
    expect(await violations(page)).toEqual([]);
    await shoot(page, 'operator-workers-some-desk-light');
    expect(complaints).toEqual([]);
    await page.context().close();
  } finally {
    await builds.stop();
  }
});

test('the mail is asked about with a token of its own', async () => {
  const { page } = await it.open('/operator/mail', { who: 'operator' });
  await page.getByRole('button', { name: 'Look' }).click();
  await page.getByText('This installation serves no mail.').waitFor();
  await page.context().close();
});

test('an account is purged only by who shows again that they are an operator, and types its address', async () => {
  const { ctx } = it.world;
  const operator = await ctx
    .db('users')
    .where({ user_id: await idOf('operator') })
    .first();
  if (!operator) throw new Error('there is no operator');
  const { issuer, subject, email } = operator;
  const verify = (token: string) =>
    token === 'of-an-operator'
      ? Promise.resolve({ issuer, subject, email, name: null, operator: true, audience: undefined, expiresAt: Date.now() + 60_000 })
      : Promise.reject(new LoginError('invalid', 'no such token'));
  Object.assign(ctx.drivers, { accessTokens: { verify } });
  const user_id = await addUser(ctx.db, 'gone');
  const { email: address = '' } = (await ctx.db('users').where({ user_id }).first('email')) ?? {};
  const { page } = await it.open(`/operator/users/${user_id}`, { who: 'operator' });
  const purge = page.getByRole('button', { name: 'Purge the account' });
  await purge.waitFor();
  // It is off: nobody can click it but by force.
  await purge.dispatchEvent('click');
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.locator('input[type=password]').fill('of-somebody-else');
  await page.getByRole('button', { name: 'Show it' }).click();
  await page.getByText('token_invalid').waitFor();
  await page.locator('input[type=password]').fill('of-an-operator');
  await page.getByRole('button', { name: 'Show it' }).click();
  await purge.and(page.locator(':not([aria-disabled=true])')).click();
  const dialog = page.getByRole('dialog', { name: `Purge ${address}?` });
  expect(await dialog.getByRole('button', { name: 'Purge the account' }).isDisabled()).toBe(true);
  await dialog.getByLabel(`Type ${address} to continue`).fill(address);
  await dialog.getByRole('button', { name: 'Purge the account' }).click();
  await page.getByText('The purge started.').waitFor();
  const { items } = await it.world.as('operator').workLedger.activity({ query: { kind: 'purge' } });
  expect(items[0]?.input).toEqual({ user_ids: [user_id] });
  await page.context().close();
});
