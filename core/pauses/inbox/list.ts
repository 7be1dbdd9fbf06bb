import type { Ctx } from '../../kernel/ctx.ts';
import type { WaitsRow } from '#db/tables.ts';
import { instantOf, microseconds } from '../../kernel/keyset.ts';
import { decodeCursor, type Page, toPage } from '../../kernel/page.ts';
import { whereMay } from '../../kernel/policy.ts';
import { endedRunStates } from '../../kernel/run-state.ts';
import { approvalsShown, withApproval } from '../approval/show.ts';
import { recipientsShown } from '../wait/shown-recipients.ts';
import { type Card, presentWaitCard } from '../wait/show.ts';

/** Open waits that are asked of the user, what ends soonest first. */
export async function listWaits(ctx: Ctx, i: { limit: number; cursor?: string | undefined }): Promise<Page<Card>> {
  const query = ctx
    .db('waits')
    .where({ state: 'pending' })
    // Past its time, or once its run has ended, no decision is taken, whenever that is written.
    .where('expires_at', '>', new Date(ctx.clock()))
    .whereRaw(`not exists (select from runs r where r.run_id = waits.run_id and r.state in (${endedRunStates}))`)
    .where(whereMay(ctx.actor, 'wait.read', { owner: 'asked_of', recipient: true }))
    // A guest whose scopes were withdrawn is not asked any more.
    .whereRaw(
      `(asked_guests = '{}' or asked_of = :reader or exists (select 1 from caller_scopes c where c.agent_id = waits.agent_id and c.user_id = :reader))`,
      { reader: ctx.actor.kind === 'user' ? ctx.actor.user_id : '' },
    )
    .select<(WaitsRow & { cursor_at: number })[]>('*', ctx.db.raw(`${microseconds('expires_at')} as cursor_at`))
    .orderBy(['expires_at', 'wait_id'])
    .limit(i.limit + 1);
  if (i.cursor !== undefined) {
    const [at, waitId] = decodeCursor(i.cursor, ['number', 'string']);
    void query.whereRaw(`(expires_at, wait_id) > (${instantOf('at')}, :waitId)`, { at, waitId });
  }
  const rows = await query;
  const [approvals, recipients] = await Promise.all([approvalsShown(ctx, rows), recipientsShown(ctx, rows)]);
  const card = (row: WaitsRow): Card => withApproval(presentWaitCard(row, recipients.get(row.wait_id)), approvals);
  return toPage(rows, i.limit, card, (row) => [row.cursor_at, row.wait_id]);
}
