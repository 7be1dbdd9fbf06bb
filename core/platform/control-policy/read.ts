import type { Knex } from 'knex';
import { AccountLimits, type ControlPolicyOut } from '#contract/platform/control-policy.ts';
import type { ControlPoliciesRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { requireOperator } from '../../kernel/policy.ts';
import { PURGED_ISSUER } from '../purge/issuer.ts';

const NO_LIMITS: AccountLimits = { agents: null, schedules: null, concurrent_runs: null, calls_per_minute: null };

/** @throws NotFound user_not_found */
export async function getControlPolicy(ctx: Ctx, { user_id }: { user_id: string }): Promise<ControlPolicyOut> {
  requireOperator(ctx, 'control_policy.read');
  await requireAccount(ctx.db, user_id);
  return presentControlPolicy(user_id, await ctx.db('control_policies').where({ user_id }).first());
}

/** @throws NotFound user_not_found */
export async function requireAccount(db: Knex, userId: string, lock = false): Promise<void> {
  const query = db('users').where({ user_id: userId }).whereNot({ issuer: PURGED_ISSUER }).first('user_id');
  if (!(await (lock ? query.forUpdate() : query))) throw new NotFound('user_not_found', `There is no account ${userId}: list the users`);
}

export function presentControlPolicy(userId: string, row: ControlPoliciesRow | undefined): ControlPolicyOut {
  return {
    user_id: userId,
    suspended: row?.suspended ?? false,
    may_deploy: row?.may_deploy ?? true,
    may_publish: row?.may_publish ?? true,
    may_call_external: row?.may_call_external ?? true,
    limits: AccountLimits.parse({ ...NO_LIMITS, ...Object(row?.limits) }),
    reason: row?.reason ?? '',
    version: row?.version ?? 0,
    updated_at: row?.updated_at.toISOString() ?? null,
    updated_by: row?.updated_by ?? null,
  };
}
