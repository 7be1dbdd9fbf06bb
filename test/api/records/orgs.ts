// An organization of the person, with a member, an invitation, a domain and a SCIM token.
import { newId } from '#core/kernel/ids.ts';
import { invitationToken } from '#core/orgs/member/token.ts';
import { ssoSecretContext } from '#core/orgs/sso/connection.ts';
import { createOrganization } from '#core/orgs/organization/create.ts';
import { addUser } from '../../support/verbs.ts';
import type { AreaRecords, Owner } from './area.ts';

export async function orgsRecords({ ctx, userId }: Owner): Promise<AreaRecords> {
  const { db } = ctx;
  const slug = `acme-${userId.slice(-8)}`;
  const { organization_id } = await createOrganization(ctx, { slug, name: 'Acme' });
  const now = new Date(ctx.clock());
  const base = { organization_id, created_at: now, updated_at: now, source: 'person' as const };
  const member = async (role: 'developer' | 'auditor' | 'admin'): Promise<{ member_id: string; user_id: string }> => {
    const member_id = newId('mem');
    const user_id = await addUser(db, role);
    await db('organization_members').insert({ ...base, member_id, user_id, email: `${member_id}@example.test`, role, state: 'active', joined_at: now });
    return { member_id, user_id };
  };
  const { user_id: deputy } = await member('admin');
  const invited = async (email: string): Promise<string> => {
    const member_id = newId('mem');
    const expires_at = new Date(ctx.clock() + 86_400_000);
    await db('organization_members').insert({ ...base, member_id, email, role: 'operator', state: 'invited', expires_at });
    return member_id;
  };
  const domain = async (name: string): Promise<string> => {
    await db('organization_domains').insert({ domain_id: newId('dom'), organization_id, domain: name, nonce: 'nonce', state: 'pending', created_at: now });
    return name;
  };
  const connection_id = newId('sso');
  const connection = {
    issuer: 'https://login.example.test',
    client_id: 'svc',
    domains: ['example.org'],
    default_role: 'developer' as const,
    makes_members: true,
  };
  const secret_sealed = await ctx.drivers.vault.seal(Buffer.from('a secret'), ssoSecretContext(connection_id));
  await db('sso_connections').insert({ connection_id, organization_id, ...connection, secret_sealed, session_hours: 12, created_at: now, updated_at: now });
  const token_id = newId('scm');
  await db('scim_tokens').insert({ token_id, organization_id, name: 'Entra', token_sha256: token_id, created_by: userId, created_at: now });
  const routes = ['auditLog', 'domains', 'addDomain', 'removeDomain', 'verifyDomain', 'members', 'invite', 'updateMember', 'removeMember', 'scim', 'scimTokens', 'createScimToken', 'revokeScimToken']; // prettier-ignore
  const sso = ['get', 'put', 'remove', 'require', 'breakGlass', 'link', 'unlink'];
  const approvals = ['policy', 'setPolicy', 'delegations', 'delegate', 'endDelegation'];
  const delegation_id = newId('dlg');
  const times = { starts_at: now, ends_at: new Date(ctx.clock() + 86_400_000), created_at: now };
  await db('approval_delegations').insert({ delegation_id, organization_id, from_id: userId, to_id: await addUser(db, 'delegate'), ...times });
  const settings = ['get', 'update', 'resendInvitation', 'exportAudit'];
  return {
    params: {
      ...Object.fromEntries(routes.map((route) => [`organizations.${route}.slug`, slug])),
      ...Object.fromEntries(approvals.map((route) => [`organizationApprovals.${route}.slug`, slug])),
      'organizationApprovals.endDelegation.delegation_id': delegation_id,
      ...Object.fromEntries(settings.map((route) => [`organizations.${route}.slug`, slug])),
      ...Object.fromEntries(sso.map((route) => [`organizationSso.${route}.slug`, slug])),
      member_id: (await member('developer')).member_id,
      'organizations.removeMember.member_id': (await member('auditor')).member_id,
      'organizations.resendInvitation.member_id': await invited('eve@example.test'),
      domain: await domain('example.org'),
      'organizations.removeDomain.domain': await domain('example.net'),
      'organizations.revokeScimToken.token_id': token_id,
    },
    calls: {
      'organizations.updateMember': { body: { role: 'operator' } },
      'organizations.update': { body: { name: 'Acme, Inc.' } },
      'organizationApprovals.delegate': { body: { to: deputy, ends_at: times.ends_at.toISOString() } },
      'organizations.acceptInvitation': { body: { token: await invitationFor(ctx, base, userId) } },
    },
  };
}

async function invitationFor({ db, drivers, clock }: Owner['ctx'], base: object, userId: string): Promise<string> {
  const user = await db('users').where({ user_id: userId }).first('email');
  const other = newId('org');
  await db('users').insert({ user_id: other, issuer: 'organization', subject: other, email: '', kind: 'organization' });
  await db('organizations').insert({ organization_id: other, slug: `other-${userId.slice(-8)}`, name: 'Other', created_at: new Date() });
  const row = {
    ...base,
    organization_id: other,
    member_id: newId('mem'),
    email: user?.email.toLowerCase() ?? '',
    role: 'auditor' as const,
    state: 'invited' as const,
  };
  await db('organization_members').insert({
    ...row,
    source: 'person',
    created_at: new Date(),
    updated_at: new Date(),
    expires_at: new Date(clock() + 86_400_000),
  });
  return invitationToken({ drivers }, { ...row, invitation: 1 });
}
