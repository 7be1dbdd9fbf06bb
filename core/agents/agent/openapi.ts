import { AgentCard } from '#contract/wire/card.ts';
import { agentOpenApi } from '#contract/wire/agent-openapi.ts';
import { Endpoints } from '#contract/wire/endpoints.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { agentFor } from './find.ts';

/** How programs call the agent through the API. @throws NotFound agent_not_found, agent_not_described */
export async function describeInOpenApi(ctx: Ctx, i: { name: string }): Promise<Record<string, unknown>> {
  const { actor } = ctx;
  const { live_deploy_id, name } = await agentFor(ctx.db, actor, 'agent.openapi', i.name);
  const row =
    live_deploy_id === null
      ? undefined
      : await ctx
          .db('deployments')
          .where({ deploy_id: live_deploy_id })
          .first<{ card: unknown; endpoints: unknown }>('card', ctx.db.raw(`manifest->'endpoints' as endpoints`));
  const card = AgentCard.safeParse(row?.card);
  if (!card.success) throw new NotFound('agent_not_described', `${name} has no live deployment that could be described: its owner deploys it`);
  const { skills } = card.data;
  const endpoints = Endpoints.safeParse(row?.endpoints);
  const allowed = actor.kind === 'api_token' && actor.skills ? skills.filter(({ id }) => actor.skills?.includes(id)) : skills;
  const baseUrl = `${ctx.config.baseUrl}/v1/agents/${name}/api`;
  return agentOpenApi({ ...card.data, skills: allowed }, { baseUrl, requireBearer: true, of: 'platform', endpoints: endpoints.data ?? {} });
}
