// Of organizations: their settings, their log as a file, and joining.
import { z } from 'zod';
import { ndjson, svcGroup } from '../kit.ts';
import { trimmedText } from '../shared.ts';
import { AUTO_JOIN_ROLES } from '../states.ts';
import { InvitedMemberOut, MemberOut, OrganizationOut, OrganizationParams, OrganizationRole, OrganizationSlug } from './organizations.ts';

/** `<member_id>.<secret>`, of the link of an invitation. */
const InvitationToken = z.string().regex(/^mem_[0-9a-f-]{36}\.[\w-]{43}$/, 'is not the token of an invitation: take it from the mail, unchanged');

export const AuditLine = z
  .strictObject({
    entry: z.record(z.string(), z.unknown()).optional().meta({ description: 'sequence, at, action, actor_kind, actor_id, target_id, request_id, details.' }),
    previous_sha256: z.string().optional(),
    sha256: z.string().optional().meta({ description: 'SHA-256 over previous_sha256, a line end and the canonical JSON (RFC 8785) of entry.' }),
    head: z
      .strictObject({ organization: z.string(), sequence: z.int().min(0), sha256: z.string(), exported_at: z.string() })
      .optional()
      .meta({ description: 'Only the last line.' }),
  })
  .meta({ id: 'OrganizationAuditLine' });

export const organizationSettings = svcGroup({
  get: {
    at: 'GET /v1/me/organizations/{slug}',
    summary: 'An organization of yours',
    scope: 'account',
    personal: true,
    params: OrganizationParams,
    out: OrganizationOut,
    errors: [401, 403, 404],
  },
  update: {
    at: 'PATCH /v1/me/organizations/{slug}',
    summary: 'Rename it, or set who may join by a verified domain',
    scope: 'account',
    personal: true,
    params: OrganizationParams,
    body: z
      .strictObject({ name: trimmedText(120).optional(), auto_join_role: z.enum(AUTO_JOIN_ROLES).nullable().optional() })
      .meta({ id: 'OrganizationPatchIn' }),
    out: OrganizationOut,
    errors: [401, 403, 404],
  },
  resendInvitation: {
    at: 'POST /v1/me/organizations/{slug}/members/{member_id}/resend',
    summary: 'Send an invitation again, with a new link',
    scope: 'account',
    personal: true,
    params: OrganizationParams.extend({ member_id: z.string().max(64) }),
    out: InvitedMemberOut,
    errors: [401, 402, 403, 404, 409, 429],
    limit: 'create',
  },
  exportAudit: {
    at: 'GET /v1/me/organizations/{slug}/audit-log/export',
    summary: 'The whole log as a file, oldest row first, its last line the head',
    description: 'svc orgs audit verify FILE checks it without the platform: a row that is missing, changed or put in shows.',
    scope: 'account',
    personal: true,
    params: OrganizationParams,
    out: ndjson(AuditLine),
    errors: [401, 403, 404],
  },
  invitations: {
    at: 'GET /v1/me/organization-invitations',
    summary: 'Organizations that you may join by the domain of your address',
    scope: 'account',
    personal: true,
    out: z
      .strictObject({ items: z.array(z.strictObject({ slug: OrganizationSlug, name: z.string(), role: OrganizationRole })) })
      .meta({ id: 'JoinableOrganizationsOut' }),
    errors: [401, 403],
  },
  join: {
    at: 'POST /v1/me/organization-invitations',
    summary: 'Ask to join such an organization',
    description: 'A mail to your address has the link: it proves that the address is yours. 409: this installation sends no mail, or you are a member.',
    scope: 'account',
    personal: true,
    body: z.strictObject({ slug: OrganizationSlug }).meta({ id: 'OrganizationJoinIn' }),
    out: MemberOut,
    status: 202,
    errors: [401, 402, 403, 404, 409, 429],
    limit: 'create',
  },
  acceptInvitation: {
    at: 'POST /v1/me/organization-invitations/accept',
    summary: 'Accept an invitation',
    description: 'Signed in with the address that was invited. 410: used, void or expired.',
    scope: 'account',
    personal: true,
    body: z.strictObject({ token: InvitationToken }).meta({ id: 'OrganizationAcceptIn' }),
    out: OrganizationOut,
    errors: [401, 402, 403, 410, 429],
    limit: 'check',
  },
});
