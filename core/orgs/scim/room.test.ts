// How many users and groups an organization has room for: the number is kept with it, and is right whatever
// comes and goes at the same time.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testContext, type TestContext } from '#test/support/context.ts';
import { createScimGroup, deleteScimGroup } from './group/write.ts';
import { identityProvider, person, type ScimCtx } from './test/people.ts';
import { createScimUser, deleteScimUser } from './user/write.ts';

let t: TestContext;
let acme: ScimCtx;
let other: ScimCtx;
beforeAll(async () => {
  t = await testContext();
  [acme, other] = [await identityProvider(t.ctx, 'acme'), await identityProvider(t.ctx, 'other')];
});
afterAll(() => t.close());

async function counted({ actor }: ScimCtx): Promise<unknown[]> {
  const { organization_id } = actor;
  const row = await t.ctx.db('organizations').where({ organization_id }).first('scim_users', 'scim_groups');
  const [users, groups] = [await t.ctx.db('scim_users').where({ organization_id }), await t.ctx.db('scim_groups').where({ organization_id })];
  expect([row?.scim_users, row?.scim_groups]).toEqual([users.length, groups.length]);
  return [users.length, groups.length];
}

test('users and groups that come and go at once are counted, those that were refused are not', async () => {
  const made = await Promise.all(Array.from({ length: 8 }, (_, n) => createScimUser(acme, { body: person(n) })));
  await createScimUser(other, { body: person(1) });
  const again = await Promise.allSettled(Array.from({ length: 4 }, (_, n) => createScimUser(acme, { body: person(n) })));
  expect(again.map(({ status }) => status)).toEqual(Array(4).fill('rejected'));
  const groups = await Promise.all(Array.from({ length: 3 }, (_, n) => createScimGroup(acme, { body: { displayName: `Team ${n}` } })));
  expect(await counted(acme)).toEqual([8, 3]);
  const ids = [...made.slice(0, 3), ...groups.slice(0, 1)].map(({ document }) => document.id);
  await Promise.all([
    ...ids.slice(0, 3).map((user_id) => deleteScimUser(acme, { user_id, conditions: {} })),
    ...ids.slice(3).map((group_id) => deleteScimGroup(acme, { group_id, conditions: {} })),
    createScimUser(acme, { body: person(99) }),
  ]);
  expect(await counted(acme)).toEqual([6, 2]);
  expect(await counted(other)).toEqual([1, 0]);
});

test('no more than there is room for; one that goes makes room', async () => {
  const { organization_id } = acme.actor;
  const full = (most: object) => t.ctx.db('organizations').where({ organization_id }).update(most);
  const before = await t.ctx.db('organizations').where({ organization_id }).first('scim_users', 'scim_groups');
  await full({ scim_users: 49_999, scim_groups: 5_000 });
  const { document } = await createScimUser(acme, { body: person(200) });
  const refused = (message: string) => ({ code: 'scim_too_many', message: expect.stringContaining(message) });
  await expect(createScimUser(acme, { body: person(201) })).rejects.toMatchObject(refused('50000 provisioned users'));
  await expect(createScimGroup(acme, { body: { displayName: 'One more' } })).rejects.toMatchObject(refused('5000 provisioned groups'));
  await deleteScimUser(acme, { user_id: document.id, conditions: {} });
  await createScimUser(acme, { body: person(201) });
  await full({ scim_users: (before?.scim_users ?? 0) + 1, scim_groups: before?.scim_groups ?? 0 });
  expect(await counted(acme)).toEqual([7, 2]);
});
