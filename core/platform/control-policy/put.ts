import type { Knex } from 'knex';
import type { z } from 'zod';
import type { ControlPolicyIn, ControlPolicyOut } from '#contract/platform/control-policy.ts';
import { routeChannel } from '../../agents/route/changed.ts';
import { afterCommit } from '../../kernel/after-commit.ts';
import { forgetControl } from '../../accounts/control.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { requireOperator } from '../../kernel/policy.ts';
import { storableJson, storableText } from '../../kernel/storable.ts';
import { act, done } from '../../kernel/act.ts';
import { writeVersion } from '../versioned.ts';
import { presentControlPolicy, requireAccount } from './read.ts';

/**
 * Every process follows within two seconds. It ends nothing and deletes nothing: what was refused works again
 * once it is allowed again.
 * @throws NotFound user_not_found; Conflict version_conflict (the present version in its details),
 * own_account
 */
export async function putControlPolicy(ctx: Ctx, { user_id, ...i }: { user_id: string } & z.infer<typeof ControlPolicyIn>): Promise<ControlPolicyOut> {
  return act(ctx, 'control_policy.put', requireOperator, async (ctx, operator) => {
    if (i.suspended && operator.user_id === user_id)
      throw new Conflict('own_account', 'You cannot suspend your own account, since only an operator could undo it: let another operator do it');
    await requireAccount(ctx.db, user_id, true);
    const { suspended, may_deploy, may_publish, may_call_external } = i;
    const facts = { suspended, may_deploy, may_publish, may_call_external, limits: storableJson(i.limits), reason: storableText(i.reason) };
    const values = { ...facts, updated_by: operator.user_id };
    const written = await writeVersion(ctx.db, { table: 'control_policies', key: ['user_id', user_id], version: i.version, values });
    const before = presentControlPolicy(user_id, written.before);
    const shown = presentControlPolicy(user_id, written.after);
    if (before.suspended !== suspended) await routesChanged(ctx.db, user_id);
    afterCommit(ctx.db, (db) => forgetControl(db, user_id));
    return done({ user: user_id }, { changed: changes(before, shown), version: shown.version }, shown);
  });
}

/** Only what is another now: from what, to what. */
function changes(before: ControlPolicyOut, after: ControlPolicyOut): Record<string, { from: unknown; to: unknown }> {
  const [was, is] = [flat(before), flat(after)];
  return Object.fromEntries(Object.keys(is).flatMap((key) => (was[key] === is[key] ? [] : [[key, { from: was[key], to: is[key] }]])));
}

function flat({ suspended, may_deploy, may_publish, may_call_external, limits, reason }: ControlPolicyOut): Record<string, unknown> {
  return { suspended, may_deploy, may_publish, may_call_external, ...limits, reason };
}

/** The ingresses forget where its agents are: those of a suspended account are nowhere. */
async function routesChanged(tx: Knex.Transaction, userId: string): Promise<void> {
  await tx.raw('select pg_notify(?, name) from agents where owner_id = ? and deleted_at is null', [routeChannel, userId]);
}
