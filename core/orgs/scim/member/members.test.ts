// From provisioned users to members: invited, joined, suspended, removed; and what nobody gets by it.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ScheduleIn } from '#contract/conversation/schedules.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { addAgent } from '#test/support/verbs.ts';
import { actingFor } from '../../../accounts/acting.ts';
import type { Ctx } from '../../../kernel/ctx.ts';
import { newId } from '../../../kernel/ids.ts';
import { createSchedule } from '../../../conversation/schedule/create.ts';
import { mintGrant } from '../../../workspace/grant/mint.ts';
import { acceptInvitation } from '../../member/accept.ts';
import { invitationToken } from '../../member/token.ts';
import { createScimGroup, deleteScimGroup, patchScimGroup } from '../group/write.ts';
import { putScimRoles } from '../settings/roles.ts';
import { identityProvider, type ScimCtx } from '../test/people.ts';
import { getScimUser } from '../user/read.ts';
import { createScimUser, deleteScimUser, patchScimUser, replaceScimUser } from '../user/write.ts';

let t: TestContext;
let olga: TestUser;
let acme: ScimCtx;
beforeAll(async () => {
  t = await testContext();
  olga = await t.user('olga');
  acme = await identityProvider(t.ctx, 'acme', olga.actor.user_id);
  await addDomain('example.test');
});
afterAll(() => t.close());

async function addDomain(domain: string): Promise<void> {
  const { organization_id } = acme.actor;
  const at = new Date();
  await t.ctx
    .db('organization_domains')
    .insert({ domain_id: newId('dom'), organization_id, domain, nonce: 'x', state: 'verified', created_at: at, verified_at: at });
}
const provision = async (email: string, more: object = {}) =>
  (await createScimUser(acme, { body: { userName: `n-${crypto.randomUUID()}`, emails: [{ value: email, primary: true }], ...more } })).document.id;
const memberOf = async (user_id: string) => {
  const row = await t.ctx.db('scim_users').where({ scim_id: user_id }).first('member_id');
  return row?.member_id ? t.ctx.db('organization_members').where({ member_id: row.member_id }).first() : undefined;
};
const patch = (user_id: string, value: object) => patchScimUser(acme, { user_id, conditions: {}, body: { Operations: [{ op: 'replace', value }] } });
async function join(person: TestUser, user_id: string): Promise<void> {
  const row = await memberOf(user_id);
  if (!row) throw new Error('not invited');
  await acceptInvitation(person, { token: await invitationToken(t.ctx, row) });
}
async function joined(name: string): Promise<{ person: TestUser; user_id: string; asMember: () => Promise<Ctx> }> {
  const person = await t.user(name);
  const user_id = await provision(person.actor.email.toUpperCase());
  await join(person, user_id);
  return { person, user_id, asMember: async () => ({ ...person, actor: await actingFor(t.ctx.db, person.actor, 'acme') }) };
}

test('who is provisioned is invited, and is a member once they accept with that address', async () => {
  const ben = await t.user('ben');
  const user_id = await provision(ben.actor.email);
  expect(await memberOf(user_id)).toMatchObject({ state: 'invited', source: 'scim', role: 'auditor', email: ben.actor.email, user_id: null, mailed_at: null });
  await expect(actingFor(t.ctx.db, ben.actor, 'acme')).rejects.toMatchObject({ code: 'organization_not_yours' });
  const eve = await t.user('eve');
  await expect(join(eve, user_id)).rejects.toMatchObject({ code: 'invitation_of_another' });
  await join(ben, user_id);
  expect(await memberOf(user_id)).toMatchObject({ state: 'active', user_id: ben.actor.user_id });
  expect(await actingFor(t.ctx.db, ben.actor, 'acme')).toMatchObject({ user_id: acme.actor.organization_id, member: { role: 'auditor' } });
});

test("an organization that provisions a stranger's address gets nothing: the same answer whether the account is there, no mail, no right over it", async () => {
  const victim = await t.user('victim');
  // Not a domain that the organization has proved.
  await t.ctx.db('users').where({ user_id: victim.actor.user_id }).update({ email: 'victim@other.example' });
  const before = await t.ctx.db('users').where({ user_id: victim.actor.user_id }).first();
  const [known, unknown] = [await provision('victim@other.example'), await provision('nobody@other.example')];
  const answer = async (id: string) =>
    JSON.stringify((await getScimUser(acme, { user_id: id })).document).replaceAll(/scu_[\w-]+|n-[\w-]+|\d{4}-\d\d-\d\dT[\d:.]+Z|victim|nobody/g, '');
  expect(await answer(known)).toBe(await answer(unknown));
  const rows = await Promise.all([known, unknown].map(memberOf));
  for (const row of rows) expect(row).toMatchObject({ state: 'invited', user_id: null, mailed_at: expect.any(Date) });
  // Whatever is sent of the address afterwards.
  await patch(known, { active: false });
  await patch(known, { active: true });
  await deleteScimUser(acme, { user_id: known, conditions: {} });
  expect(await t.ctx.db('users').where({ user_id: victim.actor.user_id }).first()).toEqual(before);
  expect(await t.ctx.db('organization_members').where({ user_id: victim.actor.user_id })).toEqual([]);
});

test('active false suspends in that transaction: no acting, grants revoked, schedules paused, sessions at its agents over; nothing of it comes back', async () => {
  const { person, user_id, asMember } = await joined('cleo');
  const { organization_id } = acme.actor;
  await t.ctx.db('organization_members').where({ user_id: person.actor.user_id }).update({ role: 'developer' });
  const agent = await addAgent(t.ctx.db, organization_id, { live: true });
  const member = await asMember();
  const target = { kind: 'prompt' as const, prompt: 'Good morning' };
  const schedule = await createSchedule(member, ScheduleIn.parse({ cron: '0 0 1 1 *', target }));
  const kept = await createSchedule({ ...olga, actor: await actingFor(t.ctx.db, olga.actor, 'acme') }, ScheduleIn.parse({ cron: '0 0 1 1 *', target }));
  const grant = await t.ctx.db.transaction((tx) =>
    mintGrant({ ...member, db: tx }, { userId: organization_id, audience: agent.name, allow: ['**'], deny: [], mode: 'read_only', outputsPrefix: null, ttlSeconds: 600 }),
  ); // prettier-ignore
  const session = {
    kind: 'agent_session' as const,
    user_id: person.actor.user_id,
    agent_id: agent.id,
    token_id: newId('tok'),
    token_hash: crypto.randomUUID(),
  };
  await t.ctx.db('platform_tokens').insert(session);
  const open = async () => ({
    paused: (await t.ctx.db('schedules').whereIn('schedule_id', [schedule.schedule_id, kept.schedule_id]).orderBy('schedule_id')).map((row) => row.paused),
    revoked: (await t.ctx.db('grants').where({ owner_id: organization_id })).map((row) => row.revoked_at !== null),
    session: (await t.ctx.db('platform_tokens').where({ token_id: session.token_id }).first())?.revoked_at != null,
  });
  expect(grant).toBeDefined();
  expect(await open()).toEqual({ paused: [false, false], revoked: [false], session: false });
  await patch(user_id, { active: 'False' });
  expect(await open()).toEqual({ paused: [true, false], revoked: [true], session: true });
  await expect(actingFor(t.ctx.db, person.actor, 'acme')).rejects.toMatchObject({ code: 'organization_not_yours' });
  expect(await memberOf(user_id)).toMatchObject({ state: 'suspended' });
  // Disabled, and still there for the client to find.
  expect((await getScimUser(acme, { user_id })).document).toMatchObject({ active: false });
  await patch(user_id, { active: true });
  expect(await memberOf(user_id)).toMatchObject({ state: 'active' });
  await expect(actingFor(t.ctx.db, person.actor, 'acme')).resolves.toBeDefined();
  expect(await open()).toEqual({ paused: [true, false], revoked: [true], session: true });
});

test('whom an admin suspended stays suspended while the client says again that they are active', async () => {
  const { person, user_id } = await joined('dora');
  await t.ctx.db('organization_members').where({ user_id: person.actor.user_id }).update({ state: 'suspended' });
  await patch(user_id, { active: true, title: 'Dr' });
  expect(await memberOf(user_id)).toMatchObject({ state: 'suspended' });
  await patch(user_id, { active: false });
  await patch(user_id, { active: true });
  expect(await memberOf(user_id)).toMatchObject({ state: 'active' });
});

test('a PUT that does not say "active" enables nobody', async () => {
  const { user_id } = await joined('edda');
  await patch(user_id, { active: false });
  const { document } = await getScimUser(acme, { user_id });
  const { active: _, ...body } = document;
  await replaceScimUser(acme, { user_id, body, conditions: {} });
  expect(await memberOf(user_id)).toMatchObject({ state: 'suspended' });
  await patchScimUser(acme, { user_id, conditions: {}, body: { Operations: [{ op: 'remove', path: 'active' }] } });
  expect(await memberOf(user_id)).toMatchObject({ state: 'suspended' });
});

test('a removed user is a member no more; provisioned again, they are invited again', async () => {
  const { person, user_id } = await joined('fay');
  await deleteScimUser(acme, { user_id, conditions: {} });
  await expect(getScimUser(acme, { user_id })).rejects.toMatchObject({ code: 'scim_user_not_found' });
  await expect(actingFor(t.ctx.db, person.actor, 'acme')).rejects.toMatchObject({ code: 'organization_not_yours' });
  expect(await memberOf(await provision(person.actor.email))).toMatchObject({ state: 'invited', user_id: null });
});

test('an invitation follows the address; who has joined stays who they are', async () => {
  const [gil, hal] = [await t.user('gil'), await t.user('hal')];
  const user_id = await provision('typo@example.test');
  const first = await memberOf(user_id);
  const old = first && (await invitationToken(t.ctx, first));
  await patch(user_id, { emails: [{ value: gil.actor.email, type: 'work' }] });
  expect(await memberOf(user_id)).toMatchObject({ member_id: first?.member_id, email: gil.actor.email });
  await expect(acceptInvitation(gil, { token: String(old) })).rejects.toMatchObject({ code: 'invitation_gone' });
  await join(gil, user_id);
  await patch(user_id, { emails: [{ value: hal.actor.email, type: 'work' }] });
  expect(await memberOf(user_id)).toMatchObject({ user_id: gil.actor.user_id, state: 'active' });
  await expect(actingFor(t.ctx.db, hal.actor, 'acme')).rejects.toMatchObject({ code: 'organization_not_yours' });
});

test('without an address, or disabled, nobody is invited', async () => {
  expect(await memberOf((await createScimUser(acme, { body: { userName: 'service-7' } })).document.id)).toBeUndefined();
  const off = await provision('off@example.test', { active: false });
  expect(await memberOf(off)).toBeUndefined();
  await patch(off, { active: true });
  expect(await memberOf(off)).toMatchObject({ state: 'invited' });
  await patch(off, { active: false });
  expect(await memberOf(off)).toBeUndefined();
  expect(await memberOf((await createScimUser(acme, { body: { userName: 'Upn@Example.test' } })).document.id)).toMatchObject({ email: 'upn@example.test' });
});

test('an owner who is provisioned stays owner, and the last one cannot be taken away', async () => {
  const user_id = await provision(olga.actor.email);
  expect(await memberOf(user_id)).toMatchObject({ user_id: olga.actor.user_id, role: 'owner', source: 'person' });
  await expect(patch(user_id, { active: false })).rejects.toMatchObject({ code: 'last_owner' });
  await expect(deleteScimUser(acme, { user_id, conditions: {} })).rejects.toMatchObject({ code: 'last_owner' });
  expect((await getScimUser(acme, { user_id })).document).toMatchObject({ active: true });
  const { person: second, user_id: other } = await joined('ina');
  await t.ctx.db('organization_members').where({ user_id: second.actor.user_id }).update({ role: 'owner' });
  await patch(other, { active: false });
  expect(await memberOf(other)).toMatchObject({ state: 'suspended', role: 'owner' });
});

test('groups give roles: the highest counts, nobody becomes an owner, and what is not given is taken back', async () => {
  const { user_id } = await joined('jo');
  const invited = await provision('kim@example.test');
  const roles = (list: [string, 'admin' | 'developer' | 'operator' | 'auditor' | 'billing'][]) => putScimRoles(olga, { slug: 'acme', roles: list.map(([group, role]) => ({ group, role })) });
  const role = async (id = user_id) => (await memberOf(id))?.role;
  const team = async (displayName: string, members: string[]) => (await createScimGroup(acme, { body: { displayName, members: members.map((value) => ({ value })) } })).document.id;
  const builders = await team('Builders', [user_id, invited]);
  expect(await role()).toBe('auditor');
  await roles([['BUILDERS', 'developer'], ['Admins', 'admin'], ['Money', 'billing']]);
  expect([await role(), await role(invited)]).toEqual(['developer', 'developer']);
  const admins = await team('admins', [user_id]);
  await team('money', [user_id]);
  expect(await role()).toBe('admin');
  await patchScimGroup(acme, { group_id: admins, conditions: {}, body: { Operations: [{ op: 'Remove', path: 'members', value: [{ value: user_id }] }] } });
  expect(await role()).toBe('developer');
  await patchScimGroup(acme, { group_id: builders, conditions: {}, body: { Operations: [{ op: 'replace', value: { displayName: 'Masons' } }] } });
  expect([await role(), await role(invited)]).toEqual(['billing', 'auditor']);
  await roles([['masons', 'operator']]);
  expect(await role()).toBe('operator');
  await deleteScimGroup(acme, { group_id: builders, conditions: {} });
  expect(await role()).toBe('auditor');
  // Whom a person invited keeps what the person gave.
  const lea = await t.user('lea');
  const at = new Date();
  const row = { member_id: newId('mem'), organization_id: acme.actor.organization_id, user_id: lea.actor.user_id, email: lea.actor.email };
  await t.ctx.db('organization_members').insert({ ...row, role: 'operator', state: 'active', source: 'person', created_at: at, joined_at: at, updated_at: at });
  const hers = await provision(lea.actor.email);
  await roles([['Crew', 'admin']]);
  await team('Crew', [hers, user_id]);
  expect([await role(hers), await role()]).toEqual(['operator', 'admin']);
  await expect(putScimRoles(olga, { slug: 'acme', roles: [{ group: 'A', role: 'admin' }, { group: 'a', role: 'auditor' }] })).rejects.toMatchObject({ code: 'invalid_input' });
  await expect(putScimRoles(lea, { slug: 'acme', roles: [] })).rejects.toMatchObject({ code: 'role_not_allowed' });
}); // prettier-ignore

test('racing requests with one userName or one address: one is made, the others are refused', async () => {
  const body = { userName: 'Racer', emails: [{ value: 'racer@example.test' }] };
  const tries = await Promise.allSettled(
    Array.from({ length: 12 }, (_, n) => createScimUser(acme, { body: { ...body, userName: n % 2 ? 'racer' : 'RACER' } })),
  );
  const codes = tries.map((one) => (one.status === 'fulfilled' ? 201 : (one.reason as { code: string }).code)).toSorted();
  expect(codes).toEqual([201, ...Array(11).fill('scim_not_unique')]);
  const others = await Promise.allSettled(Array.from({ length: 6 }, (_, n) => createScimUser(acme, { body: { ...body, userName: `other-${n}` } })));
  expect(others.every(({ status }) => status === 'rejected')).toBe(true);
  expect(await t.ctx.db('organization_members').where({ email: 'racer@example.test' })).toHaveLength(1);
});
