// Who may call an agent: everybody a public one; an unlisted one its owner, and the agents of its owner.
import type { Actor } from '../../kernel/ctx.ts';
import type { AgentRoute } from './resolve.ts';

export function mayCall(actor: Actor, route: Pick<AgentRoute, 'agentId' | 'ownerId' | 'visibility'>): boolean {
  if (route.visibility === 'public') return true;
  switch (actor.kind) {
    case 'user':
      return actor.user_id === route.ownerId;
    case 'api_token':
      return actor.agent_id === route.agentId;
    case 'run':
      // Its own author's agents. Not those of the user it works for: who calls an agent of another has not handed it their own.
      return actor.owner_id === route.ownerId;
    case 'platform':
      return true;
    // The ingress takes it, as its person, at that agent's door; nothing else calls with it.
    case 'agent_session':
    case 'anonymous':
      return false;
  }
}
