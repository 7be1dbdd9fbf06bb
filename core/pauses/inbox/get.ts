// One wait of the reader, open or not: for pages and links that are older than its decision.
import type { z } from 'zod';
import type { inbox } from '#contract/pauses/inbox.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { may, requireUser } from '../../kernel/policy.ts';
import { isOpenRun } from '../../kernel/run-state.ts';
import { deciderOf } from '../wait/decider.ts';
import { type WaitWithRun, lookAtWait } from '../wait/hold.ts';
import { waitNotFound } from '../wait/refusals.ts';
import { presentWaitCard } from '../wait/show.ts';

/** @throws NotFound wait_not_found */
export async function getInboxWait(ctx: Ctx, { wait_id }: { wait_id: string }): Promise<z.infer<typeof inbox.wait.out>> {
  requireUser(ctx, 'wait.read');
  const wait = await lookAtWait(ctx.db, wait_id);
  if (!wait || !may(ctx.actor, 'wait.read', { owner: wait.row.asked_of, recipient: wait.row })) throw waitNotFound();
  const { row } = wait;
  const { title, agent, skill, run_id } = presentWaitCard(row);
  return {
    wait_id,
    kind: row.kind,
    state: stateNow(wait, ctx.clock()),
    title,
    agent,
    skill,
    run_id,
    expires_at: row.expires_at.toISOString(),
    resolved_at: row.resolved_at?.toISOString() ?? null,
    resolved_by: await deciderOf(ctx, row),
  };
}

/** What a decision would be answered, though its end is not written yet. */
function stateNow({ row, run }: WaitWithRun, now: number): WaitWithRun['row']['state'] {
  if (row.state !== 'pending') return row.state;
  if (run !== null && !isOpenRun(run)) return 'cancelled';
  return row.expires_at.getTime() <= now ? 'expired' : 'pending';
}
