// The card of a run's own deployment: declared by the agent, checked when it went live.
import { AgentCard } from '#contract/wire/card.ts';
import type { Ctx, RunActor } from '../../kernel/ctx.ts';
import { Forbidden } from '../../kernel/errors.ts';

export async function cardOfRun(ctx: Pick<Ctx, 'db'>, run: RunActor): Promise<AgentCard> {
  const row = await ctx.db('deployments').where({ deploy_id: run.deploy_id }).first('card');
  const card = AgentCard.safeParse(row?.card);
  if (!card.success) throw new Forbidden('card_missing', 'The deployment of this run has no card: deploy the agent again');
  return card.data;
}
