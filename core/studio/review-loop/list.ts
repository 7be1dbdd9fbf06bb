import type { z } from 'zod';
import type { ReviewLoopDetailOut, ReviewLoopListOut } from '#contract/studio/adversarial-review-loops.ts';
import { agentFor } from '../../agents/agent/find.ts';
import { findingRows } from '../../quality/finding/list.ts';
import { presentFinding } from '../../quality/finding/model.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { decodeCursor, toPage } from '../../kernel/page.ts';
import { loopRows, ownedLoop } from './find.ts';
import { presentLoops } from './present.ts';

const MAX_SHOWN = 200;

/** Newest first. */
export async function listLoops(ctx: Ctx, i: { name: string; limit: number; cursor?: string | undefined }): Promise<z.infer<typeof ReviewLoopListOut>> {
  const { agent_id } = await agentFor(ctx.db, ctx.actor, 'review_loop.read', i.name);
  const query = loopRows(ctx.db)
    .where({ 'l.agent_id': agent_id })
    .orderBy('l.job_id', 'desc')
    .limit(i.limit + 1);
  if (i.cursor !== undefined) void query.where('l.job_id', '<', decodeCursor(i.cursor, ['string'])[0]);
  const { items, next_cursor } = toPage(
    await query,
    i.limit,
    (row) => row,
    ({ job_id }) => [job_id],
  );
  return { items: await presentLoops(ctx.db, items), next_cursor };
}

/** @throws NotFound agent_not_found, review_loop_not_found */
export async function readLoop(ctx: Ctx, i: { name: string; job_id: string }): Promise<ReviewLoopDetailOut> {
  const row = await ownedLoop(ctx, 'review_loop.read', i);
  const [shown] = await presentLoops(ctx.db, [row]);
  if (!shown) throw new Error('a loop was not presented');
  const { rows: probes } = await ctx.db.raw<{ rows: ReviewLoopDetailOut['probes_by_attack'] }>(
    `select attack, skill, count(*)::int as planned, (count(*) filter (where state = 'done'))::int as done,
            coalesce(sum((outcome->>'calls')::int), 0)::int as calls, coalesce(sum(cardinality(findings)), 0)::int as findings
     from review_probes where job_id = :job_id group by attack, skill order by min(number)`,
    { job_id: row.job_id },
  );
  const findings = await findingRows(ctx.db)
    .whereRaw('f.finding_id in (select unnest(findings) from review_probes where job_id = ?)', [row.job_id])
    .orWhere({ 'f.job_id': row.job_id })
    .orderByRaw(`array_position(array['critical', 'warning', 'info'], f.severity), f.finding_id`)
    .limit(MAX_SHOWN);
  return { ...shown, probes_by_attack: probes, shown: findings.map(presentFinding) };
}
