// Organizations: accounts that several people act for, each by a role.
import { z } from 'zod';
import { group } from '../kit.ts';
import { Instant, nextCursor, pageQuery, trimmedText } from '../shared.ts';
import { AUTO_JOIN_ROLES, MEMBER_SOURCES, MEMBER_STATES, ORGANIZATION_DOMAIN_STATES, ORGANIZATION_ROLES } from '../states.ts';

/** That one person makes. */
export const MAX_ORGANIZATIONS = 20;
/** Of one organization, invited ones among them. */
export const MAX_MEMBERS = 5_000;
export const MAX_ORGANIZATION_DOMAINS = 50;
export const MAX_SCIM_TOKENS = 20;
export const INVITATION_DAYS = 7;

const ORGANIZATION_SLUG = '[a-z][a-z0-9-]{1,37}[a-z0-9]';
export const OrganizationSlug = z
  .string()
  .regex(new RegExp(`^${ORGANIZATION_SLUG}$`), 'use 3 to 39 lower-case letters, digits and "-", beginning with a letter')
  .meta({ examples: ['acme'] });

export const OrganizationParams = z.object({ slug: OrganizationSlug });
const MemberParams = OrganizationParams.extend({ member_id: z.string().max(64) });

export const OrganizationRole = z.enum(ORGANIZATION_ROLES).meta({
  id: 'OrganizationRole',
  description:
    'owner and admin: everything; only an owner changes owners. developer: agents and what they do. operator: what agents do. auditor: reads. billing: pays and reads.',
});

/** Compared without regard to case. */
export const EmailAddress = z
  .email()
  .max(254)
  .meta({ examples: ['ben@example.com'] });

export const OrganizationOut = z
  .strictObject({
    organization_id: z.string(),
    slug: OrganizationSlug,
    name: z.string(),
    role: OrganizationRole.meta({ description: "The caller's." }),
    members: z.int().min(0).meta({ description: 'Active ones.' }),
    auto_join_role: z.enum(AUTO_JOIN_ROLES).nullable().meta({ description: 'Role in which people of its verified domains may join; null: they are invited.' }),
    created_at: Instant,
  })
  .meta({ id: 'OrganizationOut' });

const OrganizationIn = z.strictObject({ slug: OrganizationSlug, name: trimmedText(120).meta({ examples: ['Acme'] }) }).meta({ id: 'OrganizationIn' });

export const MemberOut = z
  .strictObject({
    member_id: z.string(),
    user_id: z.string().nullable().meta({ description: 'null: invited.' }),
    email: z.string(),
    name: z.string().nullable(),
    role: OrganizationRole,
    state: z.enum(MEMBER_STATES).meta({ description: 'suspended: has no rights, and is still listed.' }),
    source: z.enum(MEMBER_SOURCES).meta({ description: 'person: invited by one. domain: asked to join with an address of a verified domain.' }),
    created_at: Instant,
    joined_at: Instant.nullable(),
    expires_at: Instant.nullable().meta({ description: 'End of the invitation.' }),
    mailed: z.boolean().meta({ description: 'The mail server accepted the invitation.' }),
  })
  .meta({ id: 'OrganizationMemberOut' });

export const InvitedMemberOut = MemberOut.extend({
  invitation_url: z
    .string()
    .nullable()
    .meta({ description: 'Accepts it, once, signed in with that address. The mail has the same; null where the member is active already.' }),
}).meta({ id: 'InvitedMemberOut' });

const DomainRecord = z
  .strictObject({ type: z.literal('TXT'), name: z.string(), value: z.string().meta({ description: 'The value that the record must have.' }) })
  .meta({ id: 'OrganizationDomainRecord' });

export const OrganizationDomainOut = z
  .strictObject({
    domain: z.string().meta({ description: 'Punycode.' }),
    state: z
      .enum(ORGANIZATION_DOMAIN_STATES)
      .meta({ description: 'verified: the record was found; it is looked for again each day. lapsed: it is gone since two looks.' }),
    record: DomainRecord.meta({ description: 'What has to be in the DNS.' }),
    problem: z.string().nullable(),
    created_at: Instant,
    verified_at: Instant.nullable(),
    checked_at: Instant.nullable(),
  })
  .meta({ id: 'OrganizationDomainOut' });

export const DomainName = z
  .string()
  .min(1)
  .max(253)
  .meta({ examples: ['example.com'] });
const DomainParams = OrganizationParams.extend({ domain: DomainName });

export const OrganizationAuditOut = z
  .strictObject({
    sequence: z.int().min(1),
    at: Instant,
    action: z.string(),
    target_id: z.string().nullable(),
    actor: z.strictObject({
      kind: z.string(),
      id: z.string().nullable(),
      email: z.string().nullable().meta({ description: 'Current address of the person.' }),
    }),
    request_id: z.string().nullable(),
    details: z.record(z.string(), z.unknown()),
    sha256: z.string().meta({ description: 'Over the row and the hash before it.' }),
  })
  .meta({ id: 'OrganizationAuditOut' });

export const ScimOut = z
  .strictObject({
    enabled: z.boolean().meta({ description: 'There is a token that is neither revoked nor expired.' }),
    base_url: z.string().meta({ description: 'For the identity provider.' }),
    tokens: z.int().min(0).meta({ description: 'Number of valid tokens.' }),
    last_used_at: Instant.nullable(),
    provisioned_members: z.int().min(0),
  })
  .meta({ id: 'OrganizationScimOut' });

export const ScimTokenOut = z
  .strictObject({
    token_id: z.string(),
    name: z.string(),
    created_at: Instant,
    last_used_at: Instant.nullable(),
    expires_at: Instant.nullable().meta({ description: 'null: it does not expire.' }),
    revoked_at: Instant.nullable(),
    valid: z.boolean().meta({ description: 'False: it is revoked or has expired, or who made it is no active owner or admin any more.' }),
  })
  .meta({ id: 'ScimTokenOut' });

export const NewScimTokenOut = ScimTokenOut.extend({ token: z.string().meta({ description: 'Shown this once; only its hash is kept.' }) }).meta({
  id: 'NewScimTokenOut',
});

export const organizations = group({
  list: {
    at: 'GET /v1/me/organizations',
    summary: 'The organizations of which one is an active member, by slug',
    scope: 'account',
    personal: true,
    query: pageQuery(50, 200, ['m']),
    out: z.strictObject({ items: z.array(OrganizationOut), next_cursor: nextCursor }).meta({ id: 'OrganizationListOut' }),
    errors: [400, 401, 403],
  },
  create: {
    at: 'POST /v1/me/organizations',
    summary: 'Make an organization, and be its owner',
    scope: 'account',
    personal: true,
    body: OrganizationIn,
    out: OrganizationOut,
    status: 201,
    errors: [401, 403, 409, 429],
    limit: 'create',
  },
  auditLog: {
    at: 'GET /v1/me/organizations/{slug}/audit-log',
    summary: 'List the audit log of the organization, newest first',
    description: 'For owners, admins and auditors. Each row has a number and a hash over the row and the hash before it. head: of the newest row now.',
    scope: 'account',
    personal: true,
    params: OrganizationParams,
    query: pageQuery(50, 200, [1_000]).extend({
      action: z
        .string()
        .regex(/^[a-z_]+(\.[a-z_]+)?$/, 'use the name of an action, such as agent.deploy, or what stands before the dot')
        .max(80)
        .optional(),
    }),
    out: z
      .strictObject({
        items: z.array(OrganizationAuditOut),
        next_cursor: nextCursor,
        head: z.strictObject({ sequence: z.int().min(0), sha256: z.string() }).meta({ id: 'OrganizationAuditHead' }),
      })
      .meta({ id: 'OrganizationAuditLogOut' }),
    errors: [400, 401, 403, 404],
  },
  domains: {
    at: 'GET /v1/me/organizations/{slug}/domains',
    summary: 'Domains of the organization, by name',
    scope: 'account',
    personal: true,
    params: OrganizationParams,
    out: z.strictObject({ items: z.array(OrganizationDomainOut) }).meta({ id: 'OrganizationDomainsOut' }),
    errors: [401, 403, 404],
  },
  addDomain: {
    at: 'POST /v1/me/organizations/{slug}/domains',
    summary: 'Claim a domain',
    description: 'The answer names the record that proves it. Any organization may claim a name; only the proof gives it, to one organization.',
    scope: 'account',
    personal: true,
    params: OrganizationParams,
    body: z.strictObject({ domain: DomainName }).meta({ id: 'OrganizationDomainIn' }),
    out: OrganizationDomainOut,
    status: 201,
    errors: [400, 401, 403, 404, 409],
  },
  removeDomain: {
    at: 'DELETE /v1/me/organizations/{slug}/domains/{domain}',
    summary: 'Give a domain up',
    description: 'Members stay. New users can no longer join or sign in by the domain.',
    scope: 'account',
    personal: true,
    params: DomainParams,
    status: 204,
    errors: [401, 403, 404],
  },
  verifyDomain: {
    at: 'POST /v1/me/organizations/{slug}/domains/{domain}/verify',
    summary: 'Look for the record in the DNS now',
    description: '409: another organization has verified it and its record is still there. 502: the name servers did not answer.',
    scope: 'account',
    personal: true,
    params: DomainParams,
    out: OrganizationDomainOut,
    errors: [401, 403, 404, 409, 502],
  },
  members: {
    at: 'GET /v1/me/organizations/{slug}/members',
    summary: 'Members and open invitations, oldest first',
    scope: 'account',
    personal: true,
    params: OrganizationParams,
    query: pageQuery(50, 200),
    out: z.strictObject({ items: z.array(MemberOut), next_cursor: nextCursor }).meta({ id: 'OrganizationMembersOut' }),
    errors: [400, 401, 403, 404],
  },
  invite: {
    at: 'POST /v1/me/organizations/{slug}/members',
    summary: 'Invite a user by their address',
    description: `They get a mail with a link that works once, for ${INVITATION_DAYS} days, signed in with that address. Inviting them again makes a new link; the old one is void.`,
    scope: 'account',
    personal: true,
    params: OrganizationParams,
    body: z.strictObject({ email: EmailAddress, role: OrganizationRole }).meta({ id: 'OrganizationInviteIn' }),
    out: InvitedMemberOut,
    status: 201,
    errors: [401, 402, 403, 404, 409, 429],
    limit: 'create',
  },
  updateMember: {
    at: 'PATCH /v1/me/organizations/{slug}/members/{member_id}',
    summary: 'Change the role of a member, suspend them or end that',
    description: 'It holds for their next request. The last active owner stays one.',
    scope: 'account',
    personal: true,
    params: MemberParams,
    body: z
      .strictObject({ role: OrganizationRole.optional(), state: z.enum(['active', 'suspended']).optional() })
      .refine(({ role, state }) => role !== undefined || state !== undefined, 'name a role or a state')
      .meta({ id: 'OrganizationMemberPatchIn', examples: [{ role: 'operator' }] }),
    out: MemberOut,
    errors: [401, 402, 403, 404, 409],
  },
  removeMember: {
    at: 'DELETE /v1/me/organizations/{slug}/members/{member_id}',
    summary: 'Remove a member, take an invitation back, or leave',
    description: 'What they made for the organization stays with it; what opens its sources and dev boxes for them ends. The last active owner stays.',
    scope: 'account',
    personal: true,
    params: MemberParams,
    status: 204,
    errors: [401, 403, 404, 409],
  },
  scim: {
    at: 'GET /v1/me/organizations/{slug}/scim',
    summary: 'Provisioning by SCIM: its address and whether it is used',
    scope: 'account',
    personal: true,
    params: OrganizationParams,
    out: ScimOut,
    errors: [401, 403, 404],
  },
  scimTokens: {
    at: 'GET /v1/me/organizations/{slug}/scim/tokens',
    summary: 'SCIM tokens, newest first',
    scope: 'account',
    personal: true,
    params: OrganizationParams,
    query: pageQuery(50, 200),
    out: z.strictObject({ items: z.array(ScimTokenOut), next_cursor: nextCursor }).meta({ id: 'ScimTokensOut' }),
    errors: [400, 401, 403, 404],
  },
  createScimToken: {
    at: 'POST /v1/me/organizations/{slug}/scim/tokens',
    summary: 'Make a SCIM token for the identity provider',
    scope: 'account',
    personal: true,
    params: OrganizationParams,
    body: z
      .strictObject({
        name: trimmedText(80).meta({ examples: ['Entra'] }),
        expires_in_days: z.int().min(1).max(1_095).optional().meta({ description: 'Absent: it does not expire.' }),
      })
      .meta({ id: 'ScimTokenIn' }),
    out: NewScimTokenOut,
    status: 201,
    errors: [401, 403, 404, 409, 429],
    limit: 'create',
  },
  revokeScimToken: {
    at: 'DELETE /v1/me/organizations/{slug}/scim/tokens/{token_id}',
    summary: 'Revoke a SCIM token; it opens nothing any more, at once',
    scope: 'account',
    personal: true,
    params: OrganizationParams.extend({ token_id: z.string().max(64) }),
    status: 204,
    errors: [401, 403, 404],
  },
});
