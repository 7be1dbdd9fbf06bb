import type { Knex } from 'knex';
import type { z } from 'zod';
import type { PurgeUsersOut } from '#contract/platform/purge.ts';
import { beginWork } from '../../jobs/long-work.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict, NotFound } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { requireOperator } from '../../kernel/policy.ts';
import { requireNoHold } from '../../accounts/legal-hold.ts';
import { lockName } from '../../kernel/lock-name.ts';
import { act, recorded } from '../../kernel/act.ts';
import { PURGED_ISSUER } from './issuer.ts';

/** @throws NotFound user_not_found; Conflict own_account, last_operator, purge_under_way, legal_hold */
export async function purgeUsers(ctx: Ctx, i: { user_ids: string }): Promise<z.infer<typeof PurgeUsersOut>> {
  const ids = [...new Set(i.user_ids.split(','))].toSorted();
  return act(ctx, 'user.purge', requireOperator, async (ctx, operator) => {
    if (ids.includes(operator.user_id)) throw new Conflict('own_account', 'You cannot purge your own account: let another operator do it');
    // One request after the other: two operators cannot purge each other.
    await lockName(ctx.db, 'purge');
    const open = await underWay(ctx.db);
    await requireAll(ctx.db, ids, open);
    for (const user_id of ids) await requireNoHold(ctx.db, user_id);
    const operators = await ctx
      .db('users')
      .where({ operator: true })
      .whereNotIn('user_id', [...ids, ...open])
      .limit(1)
      .select('user_id');
    if (operators.length === 0) throw new Conflict('last_operator', 'No operator would be left: make another one first');
    const job_id = await beginWork(ctx, {
      kind: 'purge',
      title: ids.length === 1 ? 'Purge an account' : `Purge ${ids.length} accounts`,
      ownerId: operator.user_id,
      workflowId: `purge:${newId('req', ctx.clock())}`,
      workflow: { type: 'purgeAccounts', input: (job_id) => ({ job_id }) },
      input: { user_ids: ids },
    });
    for (const user_id of ids) await audit(ctx, 'user.purge', { user: user_id }, { job_id });
    return recorded({ job_id, state: 'queued' as const, user_ids: ids });
  });
}

async function requireAll(tx: Knex.Transaction, ids: readonly string[], open: ReadonlySet<string>): Promise<void> {
  const rows = await tx('users')
    .whereIn('user_id', [...ids])
    .whereNot({ issuer: PURGED_ISSUER })
    .select('user_id');
  const existingIds = new Set(rows.map(({ user_id }) => user_id));
  const unknown = ids.find((id) => !existingIds.has(id));
  if (unknown !== undefined) throw new NotFound('user_not_found', `There is no account ${unknown}: list the users`);
  const already = ids.find((id) => open.has(id));
  if (already !== undefined) throw new Conflict('purge_under_way', `A job purges ${already} already: follow that one`);
}

/** Accounts that jobs purge now. */
async function underWay(tx: Knex.Transaction): Promise<Set<string>> {
  const { rows } = await tx.raw<{ rows: { user_id: string }[] }>(
    `select u.user_id from jobs j, jsonb_array_elements_text(j.input->'user_ids') as u(user_id) where j.kind = 'purge' and j.ended_at is null`,
  );
  return new Set(rows.map(({ user_id }) => user_id));
}
