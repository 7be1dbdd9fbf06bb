// The visitor of a browser at an agent: by the cookie of its origin, looked up for that agent and cached for
// seconds.
import type { IncomingMessage } from 'node:http';
import type { UserActor } from '#core/kernel/ctx.ts';
import { hashSecret } from '#core/kernel/secret.ts';
import { cookiesOf } from '../http/request.ts';
import type { AgentSessions } from './agent-sessions.ts';
import { AGENT_SESSION_COOKIE } from './session.ts';
import type { Routed, Step } from './step.ts';

export interface Visitor {
  userId: string;
  email: string;
  /** Their session at this agent's address. */
  signIn: string;
  /** As what they act for the organization that has the agent; absent: they are no active member of one. */
  asMember?: UserActor | undefined;
  /** They act as that member only. */
  limited?: boolean | undefined;
  /** For the agent, `name=value`: by it the agent learns at the platform who came. */
  cookie: string;
}

export interface Visitors {
  /** Undefined at once where there is no cookie. */
  of(request: IncomingMessage, agentId: string): Promise<Visitor | undefined> | undefined;
  /** Ends the session: here at once, in other processes of the API after `FRESH_MS`. */
  end(agentId: string, token: string): Promise<boolean>;
}

/** Who is suspended, or no member of an organization any more, is out within a second, here too. */
const FRESH_MS = 1_000;
const MOST = 10_000;

export function createVisitor(visitors: Visitors | undefined): Step<Routed, { visitor: Visitor | undefined }> {
  return ({ request, route }) => {
    const visitor = route && visitors?.of(request, route.agentId);
    return visitor === undefined ? { visitor } : visitor.then((found) => ({ visitor: found }));
  };
}

export function createVisitors({ find, end, clock }: AgentSessions): Visitors {
  const known = new Map<string, { visitor: Visitor | undefined; looked: number; until: number }>();
  const keyOf = (agentId: string, token: string): string => `${agentId}:${hashSecret(token)}`;

  async function look(key: string, agentId: string, token: string): Promise<Visitor | undefined> {
    const visitorSession = await find(agentId, token);
    const [oldest] = known.keys();
    if (known.size >= MOST && oldest !== undefined) known.delete(oldest);
    known.set(key, { visitor: visitorSession?.visitor, looked: performance.now(), until: visitorSession?.expiresAt.getTime() ?? Infinity });
    return visitorSession?.visitor;
  }

  return {
    of(request, agentId) {
      if (!request.headers.cookie?.includes(AGENT_SESSION_COOKIE)) return undefined;
      const token = cookiesOf(request.headers.cookie)[AGENT_SESSION_COOKIE];
      if (token === undefined || token === '') return undefined;
      const key = keyOf(agentId, token);
      const entry = known.get(key);
      if (entry && performance.now() - entry.looked < FRESH_MS && entry.until > clock()) return Promise.resolve(entry.visitor);
      return look(key, agentId, token);
    },
    async end(agentId, token) {
      const ended = await end(agentId, token);
      known.delete(keyOf(agentId, token));
      return ended;
    },
  };
}
