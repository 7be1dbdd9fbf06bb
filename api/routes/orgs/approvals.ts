import type { approvals } from '#contract/orgs/approvals.ts';
import { delegateVotes, endDelegation, listDelegations } from '#core/orgs/approval/delegations.ts';
import { readApprovalPolicy, setApprovalPolicy } from '#core/orgs/approval/policy.ts';
import type { Handlers } from '../../http/handlers.ts';

export const approvalRoutes: Handlers<typeof approvals> = {
  policy: (ctx, { params }) => readApprovalPolicy(ctx, params),
  setPolicy: (ctx, { params, body }) => setApprovalPolicy(ctx, { ...params, ...body }),
  delegations: (ctx, { params }) => listDelegations(ctx, params),
  delegate: (ctx, { params, body }) => delegateVotes(ctx, { ...params, ...body }),
  endDelegation: (ctx, { params }) => endDelegation(ctx, params),
};
