import { AgentCard } from '#contract/wire/card.ts';
import { agentOpenApi } from '#contract/wire/agent-openapi.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { agentFor } from './find.ts';

/** How programs call the agent through the API. @throws NotFound agent_not_found, agent_not_described */
export async function describeInOpenApi(ctx: Ctx, i: { name: string }): Promise<Record<string, unknown>> {
  const { actor } = ctx;
  const { live_deploy_id, name } = await agentFor(ctx.db, actor, 'agent.openapi', i.name);
  const row = live_deploy_id === null ? undefined : await ctx.db('deployments').where({ deploy_id: live_deploy_id }).first('card');
  const card = AgentCard.safeParse(row?.card);
  if (!card.success) throw new NotFound('agent_not_described', `${name} has no live deployment that could be described: its owner deploys it`);
  const { skills } = card.data;
  const allowed = actor.kind === 'api_token' && actor.skills ? skills.filter(({ id }) => actor.skills?.includes(id)) : skills;
  return agentOpenApi({ ...card.data, skills: allowed }, { baseUrl: `${ctx.config.baseUrl}/v1/agents/${name}/api`, requireBearer: true, of: 'platform' });
}
