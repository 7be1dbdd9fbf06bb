// Sessions at agents' origins, as the domain keeps them, for the ingress.
import type { Ctx, Membership, UserActor } from '#core/kernel/ctx.ts';
import { agentsView } from '#core/identity/agent-session/agents-view.ts';
import { endAgentSession } from '#core/identity/agent-session/end.ts';
import { exchangeAgentSession } from '#core/identity/agent-session/exchange.ts';
import { findAgentSession } from '#core/identity/agent-session/find.ts';
import { peekAgentCode } from '#core/identity/agent-session/peek.ts';
import { AGENT_VIEW_COOKIE } from '#core/identity/cookies.ts';
import type { Visitor } from './visitor.ts';

export interface AgentSessions {
  exchange(agent: string, code: string): Promise<{ access_token: string; expires_at: string; next: string }>;
  /** Whose code it is, without using it. */
  peek(agentId: string, code: string): Promise<{ email: string } | undefined>;
  end(agentId: string, token: string): Promise<boolean>;
  find(agentId: string, token: string): Promise<{ visitor: Visitor; expiresAt: Date } | undefined>;
  clock: () => number;
}

/** `limited`: they are nothing else. */
export function memberAtAgent(email: string, member: Membership, { limited, signIn }: { limited: boolean; signIn: string }): UserActor {
  const { organization_id } = member;
  const limit = limited ? { limited_to: organization_id } : {};
  return { kind: 'user', user_id: organization_id, email, operator: false, via: 'agent_session', sign_in: signIn, member, ...limit };
}

export function agentSessions(ctx: Ctx): AgentSessions {
  const { db, drivers, clock } = ctx;
  return {
    clock,
    exchange: (agent, code) => exchangeAgentSession(ctx, { agent, code, origin: undefined }),
    peek: (agentId, code) => peekAgentCode(db, { agentId, code }, clock()),
    end: (agentId, token) => endAgentSession(ctx, { agentId, token }),
    async find(agentId, token) {
      const visitorSession = await findAgentSession(db, { agentId, token }, clock());
      if (!visitorSession) return undefined;
      const cookie = `${AGENT_VIEW_COOKIE}=${await agentsView(drivers.vault, visitorSession.tokenId)}`;
      const { user, member, limited, expiresAt } = visitorSession;
      const asMember = member && memberAtAgent(user.email, member, { limited, signIn: visitorSession.tokenId });
      return {
        visitor: { userId: user.user_id, email: user.email, signIn: visitorSession.tokenId, cookie, limited, ...(asMember && { asMember }) },
        expiresAt,
      };
    },
  };
}
