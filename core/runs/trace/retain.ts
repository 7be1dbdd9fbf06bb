// Spans are kept for a while, and longer for those whose policy says so; what is read of other rows goes with
// those.
import type { Ctx } from '../../kernel/ctx.ts';
import { beginRemoval, accountsRetainingLonger } from '../../accounts/legal-hold.ts';

/** As traces are read: in the days after a run. */
const KEEP_SPANS_DAYS = 30;

export async function retainSpans({ db, drivers, clock }: Ctx): Promise<void> {
  const now = clock();
  await db.transaction(async (tx) => {
    await beginRemoval(tx);
    await drivers.traces.retain(new Date(now), KEEP_SPANS_DAYS, await accountsRetainingLonger(tx, KEEP_SPANS_DAYS));
  });
  await db('unreceipted_runs').where('ended_at', '<', new Date(now - KEEP_SPANS_DAYS * 86_400_000)).delete(); // prettier-ignore
  await db('span_counts').where('began_at', '<', new Date(now - KEEP_SPANS_DAYS * 86_400_000)).delete(); // prettier-ignore
}
