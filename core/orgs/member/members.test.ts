// Who comes into an organization, who changes whom, and that it keeps an owner.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openMail } from '#drivers/mail/open.ts';
import { parseMail } from '#drivers/mail/parse.ts';
import { cites } from '#test/spec/verifies.ts';
import { testContext, type TestContext } from '#test/support/context.ts';
import { type Inbox, inbox } from '#test/support/mail.ts';
import { actingFor } from '../../accounts/acting.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { createOrganization } from '../organization/create.ts';
import { listOrganizations } from '../organization/list.ts';
import { updateOrganization } from '../organization/update.ts';
import { freeSeats, joined, testOrganization, type TestOrganization } from '../test/organization.ts';
import { acceptInvitation } from './accept.ts';
import { updateMember } from './change.ts';
import { inviteMember, resendInvitation } from './invite.ts';
import { askToJoin, listJoinable } from './join.ts';
import { listMembers } from './list.ts';
import { mailInvitations } from './mail.ts';
import { removeMember } from './remove.ts';

let t: TestContext;
let server: Inbox;
let acme: TestOrganization;
beforeAll(async () => {
  [t, server] = await Promise.all([testContext(), inbox()]);
  const relay = `smtp://127.0.0.1:${server.port}?ignoreTLS=true`;
  t.ctx.drivers.mail = openMail({ domain: 'agents.example', hostname: 'agents.example', selector: 'svc', relay, arcSealers: [] });
  await freeSeats(t.ctx, 100);
  acme = await testOrganization(t);
});
afterAll(async () => {
  await server.close();
  await t.close();
});
afterEach(() => void (server.mails.length = 0));

const tokenOf = (url: string | null): string => url?.split('#')[1] ?? '';
const code = (value: string) => expect.objectContaining({ code: value });
const memberOf = (userId: string) => t.ctx.db('organization_members').where({ user_id: userId }).first();

async function mailed(): Promise<string[]> {
  await mailInvitations(t.ctx);
  return Promise.all(server.mails.map(async ({ raw }) => (await parseMail(raw))?.text ?? ''));
}

test('a slug is of one organization, whoever asks for it at the same time', async () => {
  const people = await Promise.all([t.user(), t.user(), t.user()]);
  const made = await Promise.allSettled(people.map((one) => createOrganization(one, { slug: 'unique-one', name: 'One' })));
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(made.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'organization_exists' } });
});

test('an invitation is one mail, whose link works once, with the address that was invited', cites('organizations.invite'), async () => {
  const [ben, mallory] = [await t.user('ben'), await t.user('mallory')];
  const invited = await inviteMember(acme.owner, { slug: acme.slug, email: ben.actor.email.toUpperCase(), role: 'developer' });
  expect(invited).toMatchObject({ state: 'invited', user_id: null, email: ben.actor.email, mailed: false });
  const mine = (texts: string[]) => texts.filter((text) => text.includes(invited.invitation_url ?? '-'));
  expect(mine(await mailed())).toHaveLength(1);
  expect(mine(await mailed())).toHaveLength(1);
  const token = tokenOf(invited.invitation_url);
  await expect(acceptInvitation(mallory, { token })).rejects.toThrow(code('invitation_of_another'));
  await expect(acceptInvitation(ben, { token: `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}` })).rejects.toThrow(code('invitation_gone'));
  expect(await acceptInvitation(ben, { token })).toMatchObject({ slug: acme.slug, role: 'developer' });
  await expect(acceptInvitation(ben, { token })).rejects.toThrow(code('invitation_gone'));
  await expect(inviteMember(acme.owner, { slug: acme.slug, email: ben.actor.email, role: 'owner' })).rejects.toThrow(code('member_exists'));
});

test('accepted at the same time it is one membership', async () => {
  const ben = await t.user('ben');
  const { invitation_url, member_id } = await inviteMember(acme.owner, { slug: acme.slug, email: ben.actor.email, role: 'auditor' });
  const tries = await Promise.allSettled([1, 2, 3].map(() => acceptInvitation(ben, { token: tokenOf(invitation_url) })));
  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await t.ctx.db('organization_members').where({ user_id: ben.actor.user_id })).toMatchObject([{ member_id, state: 'active' }]);
});

test('a new link voids the old one; a week later and taken back it opens nothing', async () => {
  const ben = await t.user('ben');
  const first = await inviteMember(acme.owner, { slug: acme.slug, email: ben.actor.email, role: 'auditor' });
  const second = await resendInvitation(acme.owner, { slug: acme.slug, member_id: first.member_id });
  await expect(acceptInvitation(ben, { token: tokenOf(first.invitation_url) })).rejects.toThrow(code('invitation_gone'));
  const later: Ctx = { ...ben, clock: () => Date.now() + 8 * 86_400_000 };
  await expect(acceptInvitation(later, { token: tokenOf(second.invitation_url) })).rejects.toThrow(code('invitation_gone'));
  await removeMember(acme.owner, { slug: acme.slug, member_id: first.member_id });
  await expect(acceptInvitation(ben, { token: tokenOf(second.invitation_url) })).rejects.toThrow(code('invitation_gone'));
});

test('nothing that is kept opens an invitation', async () => {
  const ben = await t.user('ben');
  const { invitation_url } = await inviteMember(acme.owner, { slug: acme.slug, email: ben.actor.email, role: 'auditor' });
  const secret = tokenOf(invitation_url).split('.')[1] ?? '-';
  for (const table of ['organization_members', 'audit_log', 'outbox'] as const) expect(JSON.stringify(await t.ctx.db(table))).not.toContain(secret);
});

test('the last owner stays, whatever two of them do at once', async () => {
  const of = await testOrganization(t);
  const other = await joined(t, of, 'owner');
  const mine = await memberOf(of.owner.actor.user_id);
  const [ownId, otherId] = [mine?.member_id ?? '', other.memberId];
  const tries = await Promise.allSettled([
    removeMember(of.owner, { slug: of.slug, member_id: ownId }),
    updateMember(other, { slug: of.slug, member_id: otherId, role: 'admin' }),
    updateMember(other, { slug: of.slug, member_id: otherId, state: 'suspended' }),
  ]);
  expect(tries.some(({ status }) => status === 'rejected')).toBe(true);
  const owners = await t.ctx.db('organization_members').where({ organization_id: of.id, role: 'owner', state: 'active' });
  expect(owners).toHaveLength(1);
  const last = owners[0]?.user_id === of.owner.actor.user_id ? of.owner : other;
  const id = owners[0]?.member_id ?? '';
  await expect(removeMember(last, { slug: of.slug, member_id: id })).rejects.toThrow(code('last_owner'));
  await expect(updateMember(last, { slug: of.slug, member_id: id, role: 'billing' })).rejects.toThrow(code('last_owner'));
  await expect(updateMember(last, { slug: of.slug, member_id: id, state: 'suspended' })).rejects.toThrow(code('last_owner'));
});

test('an admin manages all but owners', async () => {
  const [admin, developer] = [await joined(t, acme, 'admin'), await joined(t, acme, 'developer')];
  const owner = await memberOf(acme.owner.actor.user_id);
  const member_id = owner?.member_id ?? '';
  expect(await updateMember(admin, { slug: acme.slug, member_id: developer.memberId, role: 'operator' })).toMatchObject({ role: 'operator' });
  for (const refused of [
    () => updateMember(admin, { slug: acme.slug, member_id, role: 'auditor' }),
    () => updateMember(admin, { slug: acme.slug, member_id: developer.memberId, role: 'owner' }),
    () => updateMember(admin, { slug: acme.slug, member_id: admin.memberId, role: 'owner' }),
    () => removeMember(admin, { slug: acme.slug, member_id }),
    () => inviteMember(admin, { slug: acme.slug, email: 'eve@example.test', role: 'owner' }),
  ])
    await expect(refused()).rejects.toThrow(code('role_not_allowed'));
});

test.each(['developer', 'operator', 'auditor', 'billing'] as const)(
  '%s: sees who is there, manages nobody, and may leave',
  cites('organizations.members'),
  async (role) => {
    const member = await joined(t, acme, role);
    const other = await joined(t, acme, 'auditor');
    expect((await listMembers(member, { slug: acme.slug, limit: 200 })).items.map(({ member_id }) => member_id)).toContain(member.memberId);
    for (const refused of [
      () => inviteMember(member, { slug: acme.slug, email: 'eve@example.test', role: 'auditor' }),
      () => updateMember(member, { slug: acme.slug, member_id: member.memberId, role: 'admin' }),
      () => removeMember(member, { slug: acme.slug, member_id: other.memberId }),
      () => updateOrganization(member, { slug: acme.slug, name: 'Mine' }),
    ])
      await expect(refused()).rejects.toThrow(code('role_not_allowed'));
    await removeMember(member, { slug: acme.slug, member_id: member.memberId });
    await expect(listMembers(member, { slug: acme.slug, limit: 1 })).rejects.toThrow(code('organization_not_found'));
  },
);

test('who is suspended or removed acts for it no more, from the next request on', async () => {
  const member = await joined(t, acme, 'developer');
  await actingFor(t.ctx.db, member.actor, acme.slug);
  await updateMember(acme.owner, { slug: acme.slug, member_id: member.memberId, state: 'suspended' });
  await expect(actingFor(t.ctx.db, member.actor, acme.slug)).rejects.toThrow(code('organization_not_yours'));
  await updateMember(acme.owner, { slug: acme.slug, member_id: member.memberId, state: 'active' });
  expect(await actingFor(t.ctx.db, member.actor, acme.slug)).toMatchObject({ user_id: acme.id, member: { role: 'developer' } });
  await removeMember(acme.owner, { slug: acme.slug, member_id: member.memberId });
  await expect(actingFor(t.ctx.db, member.actor, acme.slug)).rejects.toThrow(code('organization_not_yours'));
  // Of an organization that does not exist the answer is the same.
  await expect(actingFor(t.ctx.db, member.actor, 'no-such-one')).rejects.toThrow(code('organization_not_yours'));
});

test('who was suspended does not come back by an invitation', async () => {
  const member = await joined(t, acme, 'auditor');
  await updateMember(acme.owner, { slug: acme.slug, member_id: member.memberId, state: 'suspended' });
  await expect(inviteMember(acme.owner, { slug: acme.slug, email: member.actor.email, role: 'admin' })).rejects.toThrow(code('member_exists'));
});

test('people of a verified domain join as the organization says, by a mail to their address', async () => {
  const of = await testOrganization(t);
  const domain = 'people.example';
  const ben = await t.user('ben');
  const at = { ...ben, actor: { ...ben.actor, email: `ben@${domain}` } };
  await t.ctx
    .db('organization_domains')
    .insert({ domain_id: `dom_${of.id}`, organization_id: of.id, domain, nonce: 'n', state: 'verified', created_at: new Date() });
  expect(await listJoinable(at)).toEqual({ items: [] });
  await expect(askToJoin(at, { slug: of.slug })).rejects.toThrow(code('organization_not_found'));
  await updateOrganization(of.owner, { slug: of.slug, auto_join_role: 'auditor' });
  expect(await listJoinable(at)).toEqual({ items: [{ slug: of.slug, name: 'Acme', role: 'auditor' }] });
  expect(await listJoinable(ben)).toEqual({ items: [] });
  // Who says to have the address becomes no member: the link is in the mail alone.
  expect(await askToJoin(at, { slug: of.slug })).toMatchObject({ state: 'invited', role: 'auditor' });
  expect((await listOrganizations(at, { limit: 10 })).items).toEqual([]);
  await mailed();
  await askToJoin(at, { slug: of.slug });
  const texts = (await mailed()).filter((_, n) => server.mails[n]?.to.includes(at.actor.email));
  expect(texts).toHaveLength(1);
  const text = texts.join('');
  expect(await acceptInvitation(at, { token: /#(mem_\S+)/.exec(text)?.[1] ?? '' })).toMatchObject({ slug: of.slug, role: 'auditor' });
  expect(await memberOf(ben.actor.user_id)).toMatchObject({ source: 'domain', state: 'active' });
});

test('who asks to join changes nothing of an invitation that an admin sent', async () => {
  const of = await testOrganization(t);
  const ben = await t.user('ben');
  const at = { ...ben, actor: { ...ben.actor, email: 'ben@invited.example' } };
  await t.ctx
    .db('organization_domains')
    .insert({ domain_id: `dom_${of.id}`, organization_id: of.id, domain: 'invited.example', nonce: 'n', state: 'verified', created_at: new Date() });
  await updateOrganization(of.owner, { slug: of.slug, auto_join_role: 'auditor' });
  const { invitation_url } = await inviteMember(of.owner, { slug: of.slug, email: at.actor.email, role: 'admin' });
  await expect(askToJoin(at, { slug: of.slug })).rejects.toThrow(code('invitation_open'));
  expect(await acceptInvitation(at, { token: tokenOf(invitation_url) })).toMatchObject({ role: 'admin' });
});
