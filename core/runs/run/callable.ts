// The live agent that an actor calls by its name.
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict, NotFound } from '../../kernel/errors.ts';
import { agentFor } from '../../agents/agent/find.ts';
import { mayCall } from '../../agents/route/may-call.ts';
import { type AgentRoute, resolveRoute } from '../../agents/route/resolve.ts';

/** @throws NotFound agent_not_found for what the caller may not see; Conflict agent_not_live */
export async function callableRoute(ctx: Ctx, name: string): Promise<AgentRoute> {
  const { actor, db } = ctx;
  if (actor.kind === 'run') {
    const route = await resolveRoute(ctx, name);
    if (!route || !mayCall(actor, route)) throw new NotFound('agent_not_found', `There is no agent ${name} that this run may call`);
    return route;
  }
  const action = actor.kind === 'api_token' || actor.kind === 'user' ? 'agent.call' : 'agent.read';
  const route = await resolveRoute(ctx, (await agentFor(db, actor, action, name)).name);
  if (!route) throw new Conflict('agent_not_live', `${name} has no live deployment: deploy it first`);
  return route;
}
