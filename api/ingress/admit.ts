// Who may pass to an agent by its host name. The decision:
//
// 1. An agent's server takes nothing without its deployment's key (SVC_API_KEY), and only the platform holds
//    the key: so whatever the ingress lets through, it vouches for with the key, and whatever reaches an
//    agent went through here (or through the API's invoke, which answers for its own callers).
// 2. `/healthz` and `/.well-known/*` of a public agent are open, as the specification has them (auth: none).
// 3. A public agent is open to all callers. What the caller sent as Authorization is for the agent's own
//    resolver and is passed on beside the key; but a credential of ours never is: an agent that held it could
//    act as its caller. It is verified instead, and a bad one is 401.
// 4. An unlisted agent needs a platform credential of its owner, or of a member of the organization that owns
//    it, a token of that agent, or a run of an agent of its owner: others' is 404, none is 401 and, for what
//    2. opens elsewhere, 404, as the API answers about it. A name that no agent has gets the very same
//    answers: who may not see an agent does not learn that it is there. A token that another program was
//    given for this agent (RFC 8707) makes it the user who allowed it, here and nowhere else; one for its
//    `/mcp` opens only that path. A token of one agent opens only that agent, not even another that is
//    public. It may come in the query (`integration_token`), from where it is taken before anything else
//    reads the request; a bearer token of ours counts before it.
// 5. `/scope-grants/*`, `/answers/*` and `/runs/*` are only for the platform: from outside they do not exist.
// 6. The platform's own cookies belong to another host and are removed when they come anyway. The cookie of
//    this agent's origin (session.ts) is its person, here and nowhere else, unless a token of ours comes too,
//    which then counts. It is a credential a browser sends automatically: what changes something, WebSockets,
//    and what is said to the agent's protocols (cross-origin.ts) must come from a page of this origin. The
//    agent gets who came and never the cookie.
import type { Actor, AgentSessionActor, UserActor } from '#core/kernel/ctx.ts';
import { mayCall } from '#core/agents/route/may-call.ts';
import { Forbidden, NotFound, Unauthorized } from '#core/kernel/errors.ts';
import { agentResources, isMcpPath, type Installation } from '#contract/identity/resources.ts';
import type { Authenticate } from '../http/deps.ts';
import { memberAtAgent } from './agent-sessions.ts';
import type { IngressRoute } from './route-cache.ts';
import type { Visitor } from './visitors.ts';

export interface Admitted {
  /** The caller; anonymous where no credential is required. */
  actor: Actor;
  callerAuthorization: string | undefined;
  /** The signed-in visitor of the browser. */
  visitor?: Visitor | undefined;
}

export interface Visit {
  /** As it was asked for. */
  agentName: string;
  /** Undefined: no agent serves under that name. */
  route: IngressRoute | undefined;
  /** Without the query. */
  path: string;
  authorization: string | undefined;
  /** Header `Svc-Organization`. */
  organization?: string | undefined;
  /** Of the query; it has been taken out of the address. */
  integrationToken?: string | undefined;
  visitor: Visitor | undefined;
  /** False: another origin's page made the browser send it, and it may change something. */
  ownWill: boolean;
}

/**
 * No segment may begin with a dot or be encoded: an agent that resolves `..` must not read another path than
 * we did.
 */
const OPEN_PATH = /^\/(?:healthz|(?:a2a\/)?\.well-known(?:\/[A-Za-z0-9_-][\w.-]*)+)$/;
/** Only what could spell it is looked at closely. */
const SUSPECT = /%|\\|scope-grants|answers|runs/i;
const OURS_ALONE: readonly (string | undefined)[] = ['scope-grants', 'answers', 'runs'];
const ANONYMOUS: Actor = { kind: 'anonymous' };
const OPEN: Admitted = { actor: ANONYMOUS, callerAuthorization: undefined };
type VisitTarget = Pick<Visit, 'agentName' | 'route' | 'path' | 'organization'>;
/** A credential of ours. */
type Sent = { authorization: string } | { integrationToken: string };

export function createAdmit(
  authenticate: Authenticate,
  isOurs: (authorization: string) => boolean,
  installation: Installation,
): (visit: Visit) => Admitted | Promise<Admitted> {
  return ({ agentName, route, path, authorization, organization, integrationToken, visitor, ownWill }) => {
    const open = OPEN_PATH.test(path);
    if (open && route?.visibility === 'public') return OPEN;
    if (SUSPECT.test(path) && firstSegments(path).some((one) => OURS_ALONE.includes(one))) throw nothingThere({ agentName });
    const sent = authorization !== undefined && isOurs(authorization) ? { authorization } : integrationToken === undefined ? undefined : { integrationToken };
    // What is not ours is the agent's to judge.
    const callerAuthorization = sent && 'authorization' in sent ? undefined : authorization;
    if (route && visitor && !sent) {
      if (!ownWill) throw new Forbidden('cross_site', 'this was sent by the page of another site: open a page of this agent and try again there');
      const actor: UserActor = { kind: 'user', user_id: visitor.userId, email: visitor.email, operator: false, via: 'agent_session', sign_in: visitor.signIn };
      const asMember = visitor.asMember ? [visitor.asMember] : [];
      const passes = (visitor.limited ? [...asMember, ANONYMOUS] : [actor, ...asMember]).find((one) => mayCall(one, route));
      if (!passes) throw nothingThere(route);
      return { actor: passes, callerAuthorization: authorization, visitor };
    }
    if (route?.visibility === 'public' && !sent) return { actor: ANONYMOUS, callerAuthorization };
    if (!sent) {
      const needsToken = `there is no public agent ${agentName}; if it is yours, send an access token as \`Authorization: Bearer …\``;
      throw open ? new NotFound('agent_not_found', needsToken) : new Unauthorized('unauthenticated', needsToken);
    }
    return passing(sent, { agentName, route, path, organization }).then((actor) => ({ actor, callerAuthorization }));
  };

  async function passing(sent: Sent, visit: VisitTarget): Promise<Actor> {
    const actor = await verify(sent, visit);
    if (!visit.route || !mayCall(actor, visit.route)) throw nothingThere(visit);
    return actor;
  }

  async function verify(sent: Sent, { agentName, route, path, organization }: VisitTarget): Promise<Actor> {
    const { all, mcp } = agentResources(installation, agentName);
    const agentOwner = route?.visibility === 'public' ? undefined : route?.ownerId;
    const audiences = isMcpPath(path) ? [mcp, all] : [all];
    const actor = await authenticate({ authorization: undefined, ...sent, cookies: {}, audiences, organization, agentOwner });
    if (actor.kind === 'run' && actor.looks) throw new Forbidden('looks_only', 'This credential can only read: it cannot call an agent');
    return actor.kind === 'agent_session' ? personOf(actor, route) : actor;
  }
}

/**
 * A program may call this agent with the token that it got for a code. The token that the agent itself holds
 * calls no agent.
 */
function personOf(actor: AgentSessionActor, route: IngressRoute | undefined): UserActor {
  if (actor.held_by === 'agent' || actor.agent_id !== route?.agentId) throw new Unauthorized('token_invalid', 'this token is not for calls to this agent');
  if (actor.limited) return memberAtAgent(actor.email, actor.limited, { limited: true, signIn: actor.token_id });
  return { kind: 'user', user_id: actor.user_id, email: actor.email, operator: false, via: 'agent_session', sign_in: actor.token_id };
}

/**
 * As agents that decode and normalise would see it: with doubled slashes as segments of their own, which a
 * `..` can take away, and as one slash.
 */
function firstSegments(path: string): (string | undefined)[] {
  const decoded = path.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))).replaceAll('\\', '/');
  return [decoded, decoded.replaceAll(/\/{2,}/g, '/')].map(firstSegment);
}

function firstSegment(decoded: string): string | undefined {
  return new URL(`http://agent/${decoded.replace(/^\/+/, '')}`).pathname
    .split('/')
    .find((segment) => segment !== '')
    ?.toLowerCase();
}

export function nothingThere({ agentName }: Pick<IngressRoute, 'agentName'>): NotFound {
  return new NotFound('agent_not_found', `there is no agent at this address that you can reach: ${agentName}`);
}

/**
 * Tokens we issued: our prefix, or a JWT that names our issuer (verified or not: a forged one is not for an
 * agent either).
 */
export function issuedBy(issuer: string): (authorization: string) => boolean {
  return (authorization) => {
    const token = /^bearer\s+(\S+)\s*$/i.exec(authorization)?.[1] ?? '';
    if (token.startsWith('svc_')) return true;
    const [, payload, signature] = token.split('.');
    if (payload === undefined || signature === undefined) return false;
    try {
      // Loosely, on purpose: a value that could be read as a token of the platform is not sent to an agent.
      const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
      return typeof claims === 'object' && claims !== null && 'iss' in claims && claims.iss === issuer;
    } catch {
      return false;
    }
  };
}
