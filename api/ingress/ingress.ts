// Agents by their host names: found, admitted, passed on, before the API's own middlewares are reached.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { isMcpPath } from '#contract/identity/resources.ts';
import { inOneSpelling } from '#contract/wire/agent-path.ts';
import { SSE_HEARTBEAT_SECONDS } from '#contract/wire/events.ts';
import { HEADER } from '#contract/wire/headers.ts';
import { hostName, hostOwner, type HostOwner } from '#contract/wire/host-owner.ts';
import { BOX_SUFFIX } from '#contract/wire/names.ts';
import type { Claim } from '#core/identity/rights/claim.ts';
import type { AgentFacts } from '#core/agents/route/describe.ts';
import { requireAllSkills } from '#core/agents/route/may-call.ts';
import type { Actor, PlatformConfig } from '#core/kernel/ctx.ts';
import type { AgentPools } from '#drivers/agent-http/pools.ts';
import { pageHeaders } from '#drivers/idp/pages.ts';
import type { Authenticate } from '../http/deps.ts';
import { faultOf, unexpected, refusalOf } from '../http/errors.ts';
import { isPageLook, isPageVisit } from '../http/browser.ts';
import { guestOf } from '../http/guest.ts';
import { answerInPrivate, PRIVATE_HEADERS, takeIntegrationToken } from '../http/integration-token.ts';
import type { Metrics } from '../http/metrics.ts';
import { whenClosed } from '../http/recheck.ts';
import { sendRefusal } from '../http/refusal.ts';
import { requestId } from '../http/request-id.ts';
import type { Front, UpgradeFront } from '../server.ts';
import { MethodNotAllowed, Misdirected, NotFound } from '#core/kernel/errors.ts';
import { CHALLENGE_PREFIX } from '#core/agents/domain/challenge.ts';
import type { CustomHost } from '#core/agents/domain/resolve-host.ts';
import { type Admitted, createAdmit, issuedBy, nothingThere } from './admit.ts';
import { agentPage } from './agent-page.ts';
import type { CustomDomains } from './custom-domains.ts';
import { withOwn } from '#core/runs/call/own-headers.ts';
import { takeTraceparent } from '#core/runs/call/trace-header.ts';
import { keyHeader } from '#core/runs/task/place.ts';
import { answerPreflight, foreignOrigin, isPreflight, letRead, requireAllowed } from './cross-origin.ts';
import { type CallAgent, faceOf, isTaskCall, passCall } from './calls.ts';
import { toAgent } from './headers.ts';
import { type Cards, sendCard } from './card.ts';
import { fromOwnPage } from './own-page.ts';
import { pass } from './proxy.ts';
import { challenge, isMetadataPath, serveMetadata } from './resource-metadata.ts';
import { createTable, type IngressRoute, type ResolveRoute } from './route-cache.ts';
import { customSite, isForOtherName, isTls, ownSite, type Site } from './site.ts';
import { type AgentSessions, isSessionPath, serveSession, startPath } from './session.ts';
import { notAWebSocket, passUpgrade, refuseUpgrade } from './upgrade.ts';
import { createVisitors, type FindVisitor, type Visitor } from './visitors.ts';

export interface IngressOptions {
  config: PlatformConfig;
  /** The owner of a host name; default: only by `config`. */
  ownerOf?: (host: string | undefined) => HostOwner;
  /** Rejects for callers and owners that this installation does not serve; absent: it serves all. */
  refuse?: ((actor: Actor, ownerId: string) => Promise<void>) | undefined;
  /** Whose tokens are never shown to an agent. */
  issuer: string;
  resolve: ResolveRoute;
  authenticate: Authenticate;
  log: Logger;
  metrics?: Metrics;
  clock?: () => number;
  /** A proxy of ours stands in front; the last address of X-Forwarded-For is its word. Default false. */
  trustProxy?: boolean;
  /** Default 64 MiB. */
  maxBodyBytes?: number;
  /** Silence of an event stream after which its caller gets a comment; default 15 000 ms. */
  heartbeatMs?: number;
  /** Default 30 000 ms beyond the agent's own limit. */
  marginMs?: number;
  /** Shared with whatever else talks to agents; closed by who made them. */
  pools: AgentPools;
  /** Makes calls of skills and tools; what else an agent serves is passed on as it is. */
  callAgent: CallAgent;
  /** Visitors with browsers; absent: there is no sign-in at an agent's origin. */
  sessions?: AgentSessions & { find: FindVisitor };
  /** What a person reads at an agent's root; absent: nothing of ours is there. */
  describe?: (route: IngressRoute) => Promise<AgentFacts | undefined>;
  /** Agents' cards, signed; absent: agents answer for themselves. */
  cards?: Cards;
  /** Names of people's own at which agents answer; absent: there are none. */
  domains?: Pick<CustomDomains, 'hosts' | 'challenge'>;
  /**
   * Calls the second when what the first claims does not hold any more; gives what to call when the
   * connection has ended.
   */
  whileAllowed: (claim: Claim, ended: () => void) => () => void;
  /** Headers that tell the agent who looks at tasks of the agent-to-agent protocol; they begin no run. */
  beginTask: BeginTask;
  /**
   * Where what a request goes on with lives, if not in the live machine: the task in its path, the stream of
   * an event. Absent: all are there.
   */
  placeOf?: (route: IngressRoute, asked: { path: string; lastEventId?: string | undefined }) => Promise<IngressRoute>;
  /** Headers that tell the agent who makes a request which begins no run; absent: it is not told. */
  identify?: (route: IngressRoute, actor: Actor) => Promise<Record<string, string>>;
}

type BeginTask = (task: { route: IngressRoute; actor: Actor; grant: string | undefined }, requestId: string) => Promise<Record<string, string>>;

export interface Ingress {
  front: Front;
  upgrade: UpgradeFront;
  /** To be called with each payload on `svc_routes`; undefined: anything may have changed. */
  routeChanged(agentName: string | undefined): void;
}

export function createIngress(options: IngressOptions): Ingress {
  const { config, ownerOf = hostOwner(options.config), log, metrics, clock = Date.now } = options;
  const { maxBodyBytes = 64 * 1024 * 1024, marginMs = 30_000, heartbeatMs = SSE_HEARTBEAT_SECONDS * 1000 } = options;
  const table = createTable(options.resolve);
  const admit = createAdmit(options.authenticate, issuedBy(options.issuer), config);
  const { sessions } = options;
  const visitors = sessions && createVisitors(sessions.find, clock);
  const handOff = sessions && { sessions: { ...sessions, end: endSession }, baseUrl: config.baseUrl, clock, siteAt };
  const https = config.baseUrl.startsWith('https:');
  const { domains } = options;

  /** Not a promise where nothing has to be waited for: this is on the path of every call. */
  function prepare(asked: AgentRequest): Ready | Promise<Ready> {
    const routeLookup = table.get(asked.agentName);
    if (routeLookup instanceof Promise) return routeLookup.then((route) => visit(asked, route));
    return visit(asked, routeLookup);
  }

  function visit(asked: AgentRequest, route: IngressRoute | undefined): Ready | Promise<Ready> {
    const visitor = route && visitors?.of(asked.request, route.agentId);
    return visitor === undefined ? admitted(asked, route) : visitor.then((found) => admitted(asked, route, found));
  }

  function admitted(
    { request, agentName, id, integrationToken, foreign = false }: AgentRequest,
    route: IngressRoute | undefined,
    visitor?: Visitor,
  ): Ready | Promise<Ready> {
    const { authorization, connection } = request.headers;
    const readyFor = ({ actor, callerAuthorization, visitor: person }: Admitted): Ready => {
      if (!route) throw nothingThere({ agentName });
      const headers = toAgent({
        raw: request.rawHeaders,
        connection,
        ip: callerOf(request, options.trustProxy ?? false),
        https: https || isTls(request),
        requestId: id,
        apiKey: route.apiKey,
        callerAuthorization,
        judgedOrigin: foreign,
        visitor: person,
      });
      return { route, actor, headers };
    };
    const verdict = admit({
      agentName,
      route,
      path: pathOf(request.url),
      authorization,
      organization: request.headersDistinct[HEADER.organization]?.[0],
      integrationToken,
      visitor,
      ownWill: visitor === undefined || (!foreign && (isHarmless(request) || fromOwnPage(request))),
    });
    const { refuse: refuseSome } = options;
    if (refuseSome && route) return Promise.resolve(verdict).then((caller) => refuseSome(caller.actor, route.ownerId).then(() => readyFor(caller)));
    return verdict instanceof Promise ? verdict.then(readyFor) : readyFor(verdict);
  }

  async function serve(request: IncomingMessage, response: ServerResponse, site: Site, integrationToken: string | undefined): Promise<void> {
    const agent = site.agentName;
    const id = requestId(request.headers['x-request-id']);
    const isBox = agent.endsWith(BOX_SUFFIX);
    // Clients compare what describes an address with the one that they know, to the last slash.
    const written = pathOf(request.url);
    try {
      if (!isBox) request.url = inOneSpelling(request.url ?? '/');
      const path = pathOf(request.url);
      // A server that answers there can get certificates for the name: only the platform may.
      if (`${path}/`.startsWith(CHALLENGE_PREFIX)) return await serveChallenge(request, response, site, path.slice(CHALLENGE_PREFIX.length));
      if (handOff && isSessionPath(path)) {
        response.setHeader(HEADER.requestId, id);
        await serveSession(handOff, { request, response, site, agent: { id: (await table.get(agent))?.agentId, name: agent } });
        return metrics?.passed('ok');
      }
      const described = [written, path].find(isMetadataPath);
      if (described !== undefined) {
        // Made only from the name, so that it is the same for agents that do not exist.
        serveMetadata({ request, response }, { installation: config, issuer: options.issuer, agent, path: described });
        return metrics?.passed('ok');
      }
      const origin = isBox ? undefined : foreignOrigin(request, path);
      if (origin !== undefined && (await servePage(request, response, { origin, agent, requestId: id }))) return metrics?.passed('ok');
      const prepared = prepare({ request, agentName: agent, id, integrationToken, foreign: origin !== undefined });
      const { route, actor, headers } = prepared instanceof Promise ? await prepared : prepared;
      // It is open for as long as it is answered: some answers last.
      const leave = options.whileAllowed(claimOf(actor, route), () => void response.destroy());
      whenClosed(response, leave);
      if (route.box) {
        const limits = { pools: options.pools, maxBodyBytes, marginMs, heartbeatMs };
        const outcome = await pass({ request, response, route, headers, requestId: id, forPerson: isPageVisit(request) }, limits);
        return metrics?.passed(outcome);
      }
      if (path === '/' && options.describe && isPageLook(request) && (await showRoot(request, response, { route, site }, options.describe)))
        return metrics?.passed('ok');
      const card = options.cards?.at(request, path, route, site.origin);
      if (card !== undefined) {
        const document = await card;
        response.setHeader(HEADER.requestId, id);
        sendCard(request, response, document);
        return metrics?.passed('ok');
      }
      const face = faceOf(request.method, path);
      if (face === undefined || face.kind === 'task') requireAllSkills(actor);
      const isTask = isTaskCall(request.method, path);
      const lastEventId = face === undefined && isMcpPath(path) ? request.headersDistinct['last-event-id']?.[0] : undefined;
      const at = options.placeOf && (isTask || lastEventId !== undefined) ? await options.placeOf(route, { path, lastEventId }) : route;
      if (at !== route) headers.splice(0, headers.length, ...withOwn(headers, keyHeader(at)));
      if (isTask) {
        const grant = request.headers[HEADER.grant];
        const own = await options.beginTask({ route: at, actor, grant: typeof grant === 'string' ? grant : undefined }, id);
        headers.splice(0, headers.length, ...withOwn(takeTraceparent(headers).headers, own));
      }
      if (face === undefined) await identified(at, actor, headers);
      const outcome = face
        ? await passCall({ request, response, requestId: id }, { route, actor, face, headers }, { callAgent: options.callAgent, heartbeatMs })
        : await pass(
            { request, response, route: at, headers, requestId: id, forPerson: isPageVisit(request) },
            { pools: options.pools, maxBodyBytes, marginMs, heartbeatMs },
          );
      metrics?.passed(outcome);
    } catch (error) {
      await refuse(request, response, error, id, { agent, path: written });
    }
  }

  /** A page of another origin asks. True: it only asked whether it may call, and is answered. */
  async function servePage(request: IncomingMessage, response: ServerResponse, of: { origin: string; agent: string; requestId: string }): Promise<boolean> {
    const { origin } = of;
    const route = await table.get(of.agent);
    response.setHeader('vary', 'origin');
    requireAllowed(origin, request.headers.host, route);
    letRead(response, origin);
    if (!isPreflight(request)) return false;
    answerPreflight(request, response, { requestId: of.requestId, isListed: route?.allowedOrigins !== undefined });
    return true;
  }

  /** What begins a run is told by what begins it. Only its owner opens a dev box. */
  async function identified(route: IngressRoute, actor: Actor, headers: string[]): Promise<void> {
    if (actor.kind === 'anonymous' || route.box || !options.identify) return;
    headers.splice(0, headers.length, ...withOwn(headers, await options.identify(route, actor)));
  }

  async function serveChallenge(request: IncomingMessage, response: ServerResponse, { host }: Site, token: string): Promise<void> {
    if (request.method !== 'GET' && request.method !== 'HEAD') throw new MethodNotAllowed('method_not_allowed', `${CHALLENGE_PREFIX} takes GET, HEAD`);
    const answer = host === undefined ? undefined : await domains?.challenge(host, token);
    if (answer === undefined) throw new NotFound('challenge_unknown', 'no open order of a certificate asks for this');
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'cache-control': 'no-store', 'content-length': Buffer.byteLength(answer) });
    response.end(request.method === 'HEAD' ? undefined : answer);
    metrics?.passed('ok');
  }

  /**
   * A custom domain; undefined: there is none of this name. Guests reach agents only at the platform's names:
   * a custom domain is an address of the internet.
   */
  function siteAt(host: string | undefined, request: IncomingMessage): Site | undefined | Promise<Site | undefined> {
    const name = host === undefined || guestOf(request) !== undefined ? undefined : hostName(host);
    const hostLookup = name === undefined ? undefined : domains?.hosts.get(name);
    const site = (custom: CustomHost | undefined): Site | undefined => custom && name !== undefined ? customSite(config, name, custom, isTls(request)) : undefined; // prettier-ignore
    return hostLookup instanceof Promise ? hostLookup.then(site) : site(hostLookup);
  }

  async function serveCustom(request: IncomingMessage, response: ServerResponse, integrationToken: string | undefined): Promise<void> {
    const id = requestId(request.headers['x-request-id']);
    try {
      const site = await siteAt(request.headers.host, request);
      if (!site) throw misdirected();
      await serve(request, response, site, integrationToken);
    } catch (error) {
      await refuse(request, response, error, id);
    }
  }

  /** False: the agent has a page there itself. */
  async function showRoot(
    { method }: IncomingMessage,
    response: ServerResponse,
    { route, site }: { route: IngressRoute; site: Site },
    describe: NonNullable<IngressOptions['describe']>,
  ): Promise<boolean> {
    const facts = await describe(route);
    if (!facts || facts.mount === '') return false;
    if (facts.mount !== undefined) response.writeHead(302, { location: `${facts.mount}/`, 'cache-control': 'no-store' }).end();
    else response.writeHead(200, pageHeaders()).end(method === 'HEAD' ? undefined : agentPage(site.origin, route, facts));
    return true;
  }

  async function endSession(agentId: string, token: string): Promise<boolean> {
    const ended = await sessions?.end(agentId, token);
    visitors?.forget(agentId, token);
    return ended ?? false;
  }

  async function refuse(request: IncomingMessage, response: ServerResponse, error: unknown, id: string, of?: { agent: string; path: string }): Promise<void> {
    if (response.closed) return metrics?.passed('gone');
    const agent = of?.agent;
    const known = refusalOf(error, id);
    // A person at a browser signs in instead of reading that they are not.
    if (handOff && known?.status === 401 && isPageVisit(request))
      return void response.writeHead(302, { location: startPath(request.url ?? '/'), 'cache-control': 'no-store' }).end();
    const refusal = known ?? unexpected(error, id);
    const { status, body, headers } = refusal;
    if (of !== undefined && (status === 401 || body.detail.code === 'insufficient_scope')) {
      const tried = request.headers.authorization !== undefined;
      headers['www-authenticate'] = challenge(config, { agent: of.agent, path: isMcpPath(of.path) ? of.path : pathOf(request.url), status, tried });
    }
    metrics?.passed(status === 504 ? 'timeout' : status === 502 ? 'unreachable' : 'refused');
    // Perhaps its instance is another by now.
    if (status === 502 && agent !== undefined) table.drop(agent);
    const fault = faultOf(error);
    if (fault !== undefined) log.info({ request_id: id, agent, status, fault }, 'a request was refused');
    if (status >= 500) log.warn({ err: error, request_id: id, agent, status }, 'a request did not reach its agent');
    await sendRefusal(request, response, refusal);
  }

  async function serveUpgrade(request: IncomingMessage, socket: Parameters<UpgradeFront>[1], head: Buffer, owner: string | undefined): Promise<void> {
    const integrationToken = takeIntegrationToken(request);
    const id = requestId(request.headers['x-request-id']);
    const own = integrationToken === undefined ? {} : PRIVATE_HEADERS;
    try {
      if (request.headers.upgrade?.toLowerCase() !== 'websocket') throw notAWebSocket();
      const agent = isForOtherName(request) ? undefined : (owner ?? (await siteAt(request.headers.host, request))?.agentName);
      if (agent === undefined) throw misdirected();
      const { route, actor, headers } = await prepare({ request, agentName: agent, id, integrationToken });
      requireAllSkills(actor);
      await identified(route, actor, headers);
      passUpgrade({ request, socket, head, route, headers, requestId: id, own });
      const leave = options.whileAllowed(claimOf(actor, route), () => void socket.destroy());
      whenClosed(socket, leave);
    } catch (error) {
      refuseUpgrade(socket, error, id, own);
    }
  }

  return {
    front(request, response) {
      const owner = ownerOf(request.headers.host);
      if (isForOtherName(request)) {
        void refuse(request, response, misdirected(), requestId(request.headers['x-request-id']));
        return true;
      }
      if (owner.kind === 'api') return false;
      const token = takeIntegrationToken(request);
      if (token !== undefined) answerInPrivate(response);
      if (owner.kind === 'unknown') void serveCustom(request, response, token);
      else void serve(request, response, ownSite(config, labelOf(owner)), token);
      return true;
    },
    upgrade(request, socket, head) {
      const owner = ownerOf(request.headers.host);
      if (owner.kind === 'api' && !isForOtherName(request)) return false;
      void serveUpgrade(request, socket, head, owner.kind === 'api' || owner.kind === 'unknown' ? undefined : labelOf(owner));
      return true;
    },
    routeChanged(agentName) {
      table.drop(agentName);
      if (agentName !== undefined) table.drop(`${agentName}${BOX_SUFFIX}`);
    },
  };
}

function claimOf(actor: Actor, { agentId, box }: IngressRoute): Claim {
  return { actor, use: { agentId, action: box ? 'dev_box.open' : 'agent.call' } };
}

/** The first label of its host name. */
function labelOf(owner: Extract<HostOwner, { kind: 'agent' | 'box' }>): string {
  return owner.kind === 'agent' ? owner.name : `${owner.agent}${BOX_SUFFIX}`;
}

interface AgentRequest {
  request: IncomingMessage;
  agentName: string;
  /** Of the request. */
  id: string;
  /** Of the query, where it no longer is. */
  integrationToken: string | undefined;
  /** A page of another origin calls, which may. */
  foreign?: boolean;
}

interface Ready {
  route: IngressRoute;
  actor: Actor;
  headers: string[];
}

function callerOf(request: IncomingMessage, trustProxy: boolean): string {
  // Another agent has no address.
  if (guestOf(request) !== undefined) return 'unknown';
  // Nothing of the operator's stands before our own TLS: there the header is the caller's word.
  const forwarded =
    trustProxy && !isTls(request)
      ? String(request.headers['x-forwarded-for'] ?? '')
          .split(',')
          .at(-1)
          ?.trim()
      : undefined;
  return forwarded || (request.socket.remoteAddress ?? '');
}

function misdirected(): Misdirected {
  return new Misdirected(
    'unknown_host',
    'no API and no agent is at this host name; check the address: agents are at <agent>.<domain>, one name deep, and at custom domains that are active',
  );
}

/** Changes nothing by what it is; a WebSocket starts as a GET and may do anything. */
function isHarmless({ method = '', headers }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') && headers.upgrade === undefined;
}

function pathOf(url = '/'): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}
