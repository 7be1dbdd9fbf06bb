// Seats bound how many members an organization has, whoever brings them, and however many come at once.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../kernel/ids.ts';
import { testContext, type TestContext } from '#test/support/context.ts';
import { freeSeats, joined, testOrganization, type TestOrganization } from '../test/organization.ts';
import { createScimUser } from '../scim/user/write.ts';
import { identityProvider } from '../scim/test/people.ts';
import { updateMember } from './change.ts';
import { inviteMember } from './invite.ts';
import { acceptInvitation } from './accept.ts';
import { removeMember } from './remove.ts';
import { invitationToken } from './token.ts';

let t: TestContext;
beforeAll(async () => {
  t = await testContext({ connections: 20 });
  await freeSeats(t.ctx, 3);
});
afterAll(() => t.close());

const invite = (of: TestOrganization, name: string) => inviteMember(of.owner, { slug: of.slug, email: `${name}@example.test`, role: 'developer' });
const TAKEN = expect.objectContaining({ entry: 'seats_taken' });

async function buy(of: TestOrganization, seats: number): Promise<void> {
  const now = new Date();
  const period = { period_start: now, period_end: new Date(now.getTime() + 86_400_000), created_at: now, updated_at: now };
  const facts = { user_id: of.id, processor: 'builtin' as const, plan: 'team', seats, state: 'active' as const, cancel_at_period_end: false, revision: 1 };
  await t.ctx.db('subscriptions').insert({ subscription_id: newId('inv'), ...facts, ...period });
}

async function active(of: TestOrganization): Promise<number> {
  return (await t.ctx.db('organization_members').where({ organization_id: of.id, state: 'active' })).length;
}

test('open invitations count; a plan with more seats makes room; who is there stays when it ends', async () => {
  const acme = await testOrganization(t);
  await joined(t, acme, 'developer', 'one');
  const { member_id } = await invite(acme, 'two');
  await expect(invite(acme, 'three')).rejects.toEqual(TAKEN);
  // The same invitation again is no further one.
  await invite(acme, 'two');
  await removeMember(acme.owner, { slug: acme.slug, member_id });
  await buy(acme, 5);
  await joined(t, acme, 'developer', 'four');
  await joined(t, acme, 'developer', 'five');
  const last = await joined(t, acme, 'developer', 'six');
  await expect(invite(acme, 'seven')).rejects.toEqual(TAKEN);
  await updateMember(acme.owner, { slug: acme.slug, member_id: last.memberId, state: 'suspended' });
  await t.ctx.db('subscriptions').where({ user_id: acme.id }).update({ state: 'cancelled', ended_at: new Date() });
  expect(await active(acme)).toBe(4);
  await expect(updateMember(acme.owner, { slug: acme.slug, member_id: last.memberId, state: 'active' })).rejects.toEqual(TAKEN);
});

test('twenty that are invited at once, and all who accept at once, do not pass it', async () => {
  const acme = await testOrganization(t);
  const tries = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => invite(acme, `race-${n}`)));
  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  expect(tries.filter((one) => one.status === 'rejected' && TAKEN.asymmetricMatch(one.reason))).toHaveLength(18);
  // Invitations of a time with more seats, accepted when there are fewer.
  await buy(acme, 12);
  const people = await Promise.all(Array.from({ length: 9 }, (_, n) => t.user(`late-${n}`)));
  const tokens = await Promise.all(
    people.map(async ({ actor }) => {
      const { member_id } = await inviteMember(acme.owner, { slug: acme.slug, email: actor.email, role: 'developer' });
      const row = await t.ctx.db('organization_members').where({ member_id }).first();
      if (!row) throw new Error('no invitation');
      return invitationToken(t.ctx, row);
    }),
  );
  await t.ctx.db('subscriptions').where({ user_id: acme.id }).update({ seats: 4 });
  const accepted = await Promise.allSettled(people.map((user, n) => acceptInvitation(user, { token: tokens[n] ?? '' })));
  expect(accepted.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  expect(await active(acme)).toBe(4);
});

test('users that an identity provider sends, and those whom it takes back, need a seat too', async () => {
  const provider = await identityProvider(t.ctx, 'seats-scim');
  await freeSeats(t.ctx, 3);
  const { organization_id } = provider.actor;
  const user = (n: number) => ({ userName: `u${n}@example.test`, emails: [{ value: `u${n}@example.test` }] });
  const made = await Promise.allSettled(Array.from({ length: 6 }, (_, n) => createScimUser(provider, { body: user(n) })));
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  expect(made.filter((one) => one.status === 'rejected' && TAKEN.asymmetricMatch(one.reason))).toHaveLength(3);
  // Nothing is left of the refused ones; who is disabled takes no seat.
  expect(await t.ctx.db('scim_users').where({ organization_id })).toHaveLength(3);
  await createScimUser(provider, { body: { ...user(9), active: false } });
});
