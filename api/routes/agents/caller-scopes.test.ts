// Scopes that an owner gives to other accounts.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '#contract/client.ts';
import { newId } from '#core/kernel/ids.ts';
import { createWorld, type World } from '#test/api/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ serving: true });
});
afterAll(() => world.close());

const as = (who: 'ada' | 'ben') => createClient({ baseUrl: world.url, token: world.tokens[who] }).callerScopes;

test('are given by id or by the address of who has called, replaced, listed, and withdrawn', async () => {
  const { name = '' } = world.records;
  const params = { name };
  const listed = async () => (await as('ada').list({ params })).items.filter(({ account_id }) => account_id !== world.records['account_id']);
  const { user_id: ben, email } = await world.as('ben').auth.me({});
  await expect(as('ada').give({ params, body: { account: email, scopes: ['admin'] } })).rejects.toMatchObject({ status: 404, code: 'account_not_found' });
  expect(await as('ada').give({ params, body: { account: ben, scopes: ['admin', 'read', 'admin'] } })).toMatchObject({
    account_id: ben,
    account: email,
    scopes: ['admin', 'read'],
  });
  expect(await as('ada').give({ params, body: { account: ben, scopes: ['read'] } })).toMatchObject({ scopes: ['read'] });
  expect(await listed()).toMatchObject([{ account_id: ben, scopes: ['read'] }]);
  await as('ada').withdraw({ params: { name, account_id: ben } });
  await expect(as('ada').withdraw({ params: { name, account_id: ben } })).rejects.toMatchObject({ status: 404, code: 'caller_scopes_not_found' });
  expect(await listed()).toEqual([]);
});

test('are the owner’s to give: others find no such agent, and learn nothing of accounts', async () => {
  const { name = '' } = world.records;
  for (const asked of [
    () => as('ben').list({ params: { name } }),
    () => as('ben').give({ params: { name }, body: { account: newId('usr'), scopes: ['admin'] } }),
    () => as('ben').withdraw({ params: { name, account_id: newId('usr') } }),
  ])
    await expect(asked()).rejects.toMatchObject({ status: 404, code: 'agent_not_found' });
});
