import type { organizationApprovals } from '#contract/orgs/approvals.ts';
import { delegateVotes, endDelegation, listDelegations } from '#core/orgs/approval/delegations.ts';
import { readApprovalPolicy, setApprovalPolicy } from '#core/orgs/approval/policy.ts';
import type { Handlers } from '../../http/handlers.ts';

export const organizationApprovalRoutes: Handlers<typeof organizationApprovals> = {
  policy: (ctx, { params }) => readApprovalPolicy(ctx, params),
  setPolicy: (ctx, { params, body }) => setApprovalPolicy(ctx, { ...params, ...body }),
  delegations: (ctx, { params }) => listDelegations(ctx, params),
  delegate: (ctx, { params, body }) => delegateVotes(ctx, { ...params, ...body }),
  endDelegation: (ctx, { params }) => endDelegation(ctx, params),
};
