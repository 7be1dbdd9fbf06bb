// The evidence of an agent by time. A page reads the newest rows of each kind before the last one seen, so
// page n costs what page 1 costs.
import type { EvidenceTimelineOut } from '#contract/evidence/agent-evidence.ts';
import type { EvidenceLane } from '#contract/states.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { decodeCursor, toPage } from '../../kernel/page.ts';
import { gather, byNewest, positionOf, evidenceView } from '../collect/gather.ts';

/** @throws NotFound agent_not_found; BadRequest bad_cursor */
export async function readTimeline(
  ctx: Ctx,
  i: { name: string; limit: number; cursor?: string | undefined; lane?: EvidenceLane | undefined },
): Promise<EvidenceTimelineOut> {
  const { agent, of } = await evidenceView(ctx, i.name);
  const before = i.cursor === undefined ? undefined : placeIn(decodeCursor(i.cursor, ['number', 'string']));
  const { nodes, redaction, watermark } = await gather(ctx.db, of, { most: i.limit + 1, before, lane: i.lane });
  // A handoff of an agent to itself is found from both of its ends.
  const once = [...new Map(nodes.map((node) => [node.id, node])).values()].toSorted(byNewest);
  const page = toPage(
    once,
    i.limit,
    (node) => node,
    ({ sort_key }) => {
      const { at, id } = positionOf(sort_key);
      return [at, id];
    },
  );
  return { agent: agent.name, ...page, redaction, watermark };
}

const placeIn = ([at, id]: [number, string]): { at: number; id: string } => ({ at, id });
