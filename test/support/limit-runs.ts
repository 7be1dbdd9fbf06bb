// How many runs an account may have under way, and how many calls it may make in a minute, as an operator
// sets it.
import type { Ctx } from '#core/kernel/ctx.ts';
import { putControlPolicy } from '#core/platform/control-policy/put.ts';
import type { TestUser } from './context.ts';

/** Null: no limit. */
export async function limitRuns(
  by: TestUser,
  account: Pick<TestUser, 'actor'>,
  concurrent_runs: number | null,
  calls_per_minute: number | null = null,
): Promise<void> {
  const { user_id } = account.actor;
  const operator: Ctx = { ...by, actor: { ...by.actor, operator: true } };
  const known = await by.db('control_policies').where({ user_id }).first('version');
  await putControlPolicy(operator, {
    user_id,
    suspended: false,
    may_deploy: true,
    may_publish: true,
    may_call_external: true,
    limits: { agents: null, schedules: null, concurrent_runs, calls_per_minute },
    reason: '',
    version: known?.version ?? 0,
  });
}
