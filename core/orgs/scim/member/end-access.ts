// What a member who is suspended or removed leaves open for the organization: ended, in the transaction that suspends them. The audit log says who made it.
// Acting for the organization ends by itself: the membership is looked up for each request.
import type { Knex } from 'knex';
import { afterCommit } from '../../../kernel/after-commit.ts';
import { audit } from '../../../kernel/audit.ts';
import type { TxCtx } from '../../../kernel/ctx.ts';
import { syncSchedule } from '../../../runs/schedule/sync.ts';
import { revokeGrantsMadeBy } from '../../../workspace/grant/revoke.ts';
import { endSsoOf } from '../../sso/end.ts';
import { endOpenings } from '../../member/end-openings.ts';

/** Nothing of it comes back when the member does. */
export async function endAccess(tx: Knex.Transaction, ctx: TxCtx, of: { organization_id: string; user_id: string }): Promise<void> {
  const agents = tx('agents').where({ owner_id: of.organization_id }).select('agent_id');
  await tx('platform_tokens')
    .where({ user_id: of.user_id, kind: 'agent_session' })
    .whereIn('agent_id', agents)
    .whereNull('revoked_at')
    .update({ revoked_at: new Date(ctx.clock()) });
  await endOpenings(tx, of.organization_id, ctx.clock());
  await endSsoOf(tx, of, ctx.clock());
  await revokeGrantsMadeBy(tx, ctx, of, 'who gave it is no active member of the organization any more');
  await pauseSchedules(tx, ctx, of);
}

async function pauseSchedules(tx: Knex.Transaction, ctx: TxCtx, of: { organization_id: string; user_id: string }): Promise<void> {
  const rows = await tx('schedules')
    .where({ owner_id: of.organization_id, paused: false })
    .whereNull('deleted_at')
    .whereRaw(
      `exists (select 1 from audit_log a where a.target_id = schedule_id and a.action = 'schedule.create' and a.actor_id = :user_id and a.owner_id = :organization_id)`,
      of,
    )
    .update({ paused: true, paused_by: 'owner', version: tx.raw('version + 1'), updated_at: new Date(ctx.clock()) })
    .returning('schedule_id');
  for (const { schedule_id } of rows)
    await audit(tx, ctx, 'schedule.pause', schedule_id, { reason: 'who made it is no active member of the organization any more' });
  const { drivers } = ctx;
  // A firing looks at the row: it begins nothing even before Temporal knows.
  afterCommit(tx, (db) => {
    for (const { schedule_id } of rows) void syncSchedule({ db, drivers }, schedule_id).catch(() => undefined);
  });
}
