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
import type { IncomingMessage } from 'node:http';
import type { Actor, AgentSessionActor, UserActor } from '#core/kernel/ctx.ts';
import { mayCall } from '#core/agents/route/may-call.ts';
import { Forbidden, NotFound, Unauthorized } from '#core/kernel/errors.ts';
import { agentResources, isMcpPath } from '#contract/identity/resources.ts';
import { HEADER } from '#contract/wire/headers.ts';
import type { Authenticate } from '../http/deps.ts';
import { memberAtAgent } from './agent-sessions.ts';
import { isOursAlone, issuedBy } from './ours.ts';
import { fromOwnPage } from './own-page.ts';
import type { IngressRoute } from './route-cache.ts';
import type { Admitted, Platform, Routed } from './step.ts';
import type { Visitor } from './visitor.ts';

export interface AdmitOptions {
  authenticate: Authenticate;
  /** Rejects for callers and owners that this installation does not serve; absent: it serves all. */
  refuse?: ((actor: Actor, ownerId: string) => Promise<void>) | undefined;
}

export interface Unadmitted extends Pick<Routed, 'site' | 'route' | 'path' | 'integrationToken'> {
  request: Pick<IncomingMessage, 'method' | 'headers' | 'headersDistinct'>;
  visitor: Visitor | undefined;
  /** A page of another origin calls, which may. */
  foreign?: boolean;
}

/**
 * No segment may begin with a dot or be encoded: an agent that resolves `..` must not read another path than
 * we did.
 */
const OPEN_PATH = /^\/(?:healthz|(?:a2a\/)?\.well-known(?:\/[A-Za-z0-9_-][\w.-]*)+)$/;
const ANONYMOUS: Actor = { kind: 'anonymous' };
/** A credential of ours. */
type Sent = { authorization: string } | { integrationToken: string };

export function createAdmit({ config, issuer }: Platform, { authenticate, refuse }: AdmitOptions): (visit: Unadmitted) => Admitted | Promise<Admitted> {
  const isOurs = issuedBy(issuer);

  function decide(visit: Unadmitted): Admitted | Promise<Admitted> {
    const { request, site, route, path, integrationToken, visitor } = visit;
    const { authorization } = request.headers;
    const open = OPEN_PATH.test(path);
    if (open && route?.visibility === 'public') return { route, actor: ANONYMOUS, callerAuthorization: undefined };
    if (isOursAlone(path)) throw nothingThere(site);
    const sent = authorization !== undefined && isOurs(authorization) ? { authorization } : integrationToken === undefined ? undefined : { integrationToken };
    // What is not ours is the agent's to judge.
    const callerAuthorization = sent && 'authorization' in sent ? undefined : authorization;
    if (sent) return verified(sent, visit).then((caller) => ({ ...caller, callerAuthorization }));
    if (route && visitor) return { route, actor: actorOf(visitor, visit, route), callerAuthorization, person: visitor };
    if (route?.visibility === 'public') return { route, actor: ANONYMOUS, callerAuthorization };
    const needsToken = `there is no public agent ${site.agentName}; if it is yours, send an access token as \`Authorization: Bearer …\``;
    throw open ? new NotFound('agent_not_found', needsToken) : new Unauthorized('unauthenticated', needsToken);
  }

  async function verified(sent: Sent, { request, site, route, path }: Unadmitted): Promise<Pick<Admitted, 'route' | 'actor'>> {
    const { all, mcp } = agentResources(config, site.agentName);
    const agentOwner = route?.visibility === 'public' ? undefined : route?.ownerId;
    const audiences = isMcpPath(path) ? [mcp, all] : [all];
    const organization = request.headersDistinct[HEADER.organization]?.[0];
    const credential = await authenticate({ authorization: undefined, ...sent, cookies: {}, audiences, organization, agentOwner });
    if (credential.kind === 'run' && credential.looks) throw new Forbidden('looks_only', 'This credential can only read: it cannot call an agent');
    const actor = credential.kind === 'agent_session' ? personOf(credential, route) : credential;
    if (!route || !mayCall(actor, route)) throw nothingThere(site);
    return { route, actor };
  }

  return (visit) => {
    const verdict = decide(visit);
    const { route } = visit;
    if (!refuse || !route) return verdict;
    return Promise.resolve(verdict).then((admitted) => refuse(admitted.actor, route.ownerId).then(() => admitted));
  };
}

/** As whom the person of a browser passes. */
function actorOf({ userId, email, signIn, asMember, limited }: Visitor, { request, foreign }: Unadmitted, route: IngressRoute): Actor {
  if (foreign || !(isHarmless(request) || fromOwnPage(request)))
    throw new Forbidden('cross_site', 'this was sent by the page of another site: open a page of this agent and try again there');
  const actor: UserActor = { kind: 'user', user_id: userId, email, operator: false, via: 'agent_session', sign_in: signIn };
  const members = asMember ? [asMember] : [];
  const passes = (limited ? [...members, ANONYMOUS] : [actor, ...members]).find((one) => mayCall(one, route));
  if (!passes) throw nothingThere(route);
  return passes;
}

/** Changes nothing by what it is; a WebSocket starts as a GET and may do anything. */
function isHarmless({ method = '', headers }: Unadmitted['request']): boolean {
  return (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') && headers.upgrade === undefined;
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

function nothingThere({ agentName }: Pick<IngressRoute, 'agentName'>): NotFound {
  return new NotFound('agent_not_found', `there is no agent at this address that you can reach: ${agentName}`);
}
