import type { Actor } from '../../kernel/ctx.ts';
import { may } from '../../kernel/policy.ts';
import type { AgentRoute } from './resolve.ts';

/** A public agent: everybody. An unlisted one: its owner, its own token, and the runs of its owner's agents. */
export function mayCall(actor: Actor, route: Pick<AgentRoute, 'agentId' | 'ownerId' | 'visibility'>): boolean {
  return may(actor, 'agent.call', { owner: route.ownerId, agent: route.agentId, listed: route.visibility === 'public' });
}
