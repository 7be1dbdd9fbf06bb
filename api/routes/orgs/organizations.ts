import type { organizations } from '#contract/orgs/organizations.ts';
import { readAuditLog } from '#core/orgs/audit/read.ts';
import { claimDomain, listOrganizationDomains, releaseDomain } from '#core/orgs/domain/domains.ts';
import { verifyOrganizationDomain } from '#core/orgs/domain/verify.ts';
import { updateMember } from '#core/orgs/member/change.ts';
import { inviteMember } from '#core/orgs/member/invite.ts';
import { listMembers } from '#core/orgs/member/list.ts';
import { removeMember } from '#core/orgs/member/remove.ts';
import { createOrganization } from '#core/orgs/organization/create.ts';
import { listOrganizations } from '#core/orgs/organization/list.ts';
import { createScimToken, listScimTokens, readScim, revokeScimToken } from '#core/orgs/scim-token/tokens.ts';
import type { Handlers } from '../../http/handlers.ts';

export const organizationRoutes: Handlers<typeof organizations> = {
  list: (ctx, { query }) => listOrganizations(ctx, query),
  create: (ctx, { body }) => createOrganization(ctx, body),
  auditLog: (ctx, { params, query }) => readAuditLog(ctx, { ...params, ...query }),
  domains: (ctx, { params }) => listOrganizationDomains(ctx, params),
  addDomain: (ctx, { params, body }) => claimDomain(ctx, { ...params, ...body }),
  removeDomain: (ctx, { params }) => releaseDomain(ctx, params),
  verifyDomain: (ctx, { params }) => verifyOrganizationDomain(ctx, params),
  members: (ctx, { params, query }) => listMembers(ctx, { ...params, ...query }),
  invite: (ctx, { params, body }) => inviteMember(ctx, { ...params, ...body }),
  updateMember: (ctx, { params, body }) => updateMember(ctx, { ...params, ...body }),
  removeMember: (ctx, { params }) => removeMember(ctx, params),
  scim: (ctx, { params }) => readScim(ctx, params),
  scimTokens: (ctx, { params, query }) => listScimTokens(ctx, { ...params, ...query }),
  createScimToken: (ctx, { params, body }) => createScimToken(ctx, { ...params, ...body }),
  revokeScimToken: (ctx, { params }) => revokeScimToken(ctx, params),
};
