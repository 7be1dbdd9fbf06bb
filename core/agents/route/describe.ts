// What a person reads at an agent's address: its card as it serves now, and where its own pages begin.
import { z } from 'zod';
import { AgentCard } from '#contract/wire/card.ts';
import type { Ctx } from '../../kernel/ctx.ts';

export interface AgentFacts {
  card: AgentCard;
  /** Of its own frontend, without a final slash: `/app`; empty: the root itself. Undefined: it has none. */
  mount: string | undefined;
}

const Stored = z.object({ card: AgentCard, mount: z.string().nullable() });

/** Undefined when the deployment is gone. */
export async function describeAgent({ db }: Pick<Ctx, 'db'>, deployId: string): Promise<AgentFacts | undefined> {
  const row = await db('deployments')
    .where({ deploy_id: deployId })
    .first('card', db.raw("case when jsonb_typeof(manifest->'frontend') = 'object' then coalesce(manifest->'frontend'->>'mount', '/app') end as mount"));
  const stored = Stored.safeParse(row);
  if (!stored.success) return undefined;
  return { card: stored.data.card, mount: stored.data.mount?.replace(/\/+$/, '') };
}
