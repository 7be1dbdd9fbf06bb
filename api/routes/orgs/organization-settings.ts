import type { organizationSettings } from '#contract/orgs/organization-settings.ts';
import { exportAuditLog } from '#core/orgs/audit/export.ts';
import { acceptInvitation } from '#core/orgs/member/accept.ts';
import { resendInvitation } from '#core/orgs/member/invite.ts';
import { askToJoin, listJoinable } from '#core/orgs/member/join.ts';
import { getOrganization } from '#core/orgs/organization/list.ts';
import { updateOrganization } from '#core/orgs/organization/update.ts';
import type { Handlers } from '../../http/handlers.ts';

export const organizationSettingsRoutes: Handlers<typeof organizationSettings> = {
  get: (ctx, { params }) => getOrganization(ctx, params),
  update: (ctx, { params, body }) => updateOrganization(ctx, { ...params, ...body }),
  resendInvitation: (ctx, { params }) => resendInvitation(ctx, params),
  exportAudit: (ctx, { params }) => exportAuditLog(ctx, params),
  invitations: (ctx) => listJoinable(ctx),
  join: (ctx, { body }) => askToJoin(ctx, body),
  acceptInvitation: (ctx, { body }) => acceptInvitation(ctx, body),
};
