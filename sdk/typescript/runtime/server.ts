// One agent as an HTTP server. It listens only when asked to: a host may hand it connections instead
// (server.emit('connection', socket)).
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { inOneSpelling } from '../../../contract/wire/agent-path.ts';
import { SSE_HEARTBEAT_SECONDS } from '../../../contract/wire/events.ts';
import type { AgentCard } from '../../../contract/wire/card.ts';
import type { Agent, AgentClass } from '../authoring/agent.ts';
import { declare, type Declaration } from '../authoring/declare.ts';
import { AgentDeclarationError, SkillInvocationError, SvcError } from '../authoring/errors.ts';
import type { Principal } from '../authoring/auth.ts';
import { Activity, type ActivityReport } from './activity.ts';
import { createAuthenticate, type Authenticate } from './authenticate.ts';
import { fillEnvironment } from './env.ts';
import { Executor } from './executor.ts';
import { HttpError, requestIdOf, sendError, sendJson } from './http.ts';
import { IdSource } from './ids.ts';
import { invoke } from './invoke.ts';
import { createLog, errorFields, stderrSink } from './log.ts';
import type { A2aFace } from './a2a/face.ts';
import { refuseForeignPages } from './local-host.ts';
import type { FrontendFace } from './frontend/frontend.ts';
import type { AguiFace } from './agui/face.ts';
import type { McpFace } from './mcp.ts';
import { ownerOf, type Owner } from './owner.ts';
import { DEFAULTS, type AgentServerOptions, type Credentials, type FrontendOptions } from './options.ts';
import type { GrantWithToken } from './pending.ts';
import type { RunPlatform } from './platform.ts';
import { grantVerifier, originOf, type RunOrigin } from './origin.ts';
import { isPlatform, runRoute, serveRunRoute } from './run-routes.ts';
import { localPlatform } from '../platform/local.ts';
import type { Cut } from './watchdog/watchdog.ts';

export interface AgentServer {
  /** Code of no run blocked the process and was ended by the watchdog: what it was to answer is answered. */
  blocked: (cut: Cut) => void;
  /** Not listening. */
  server: Server;
  card: AgentCard;
  executor: Executor;
  authenticate: Authenticate;
  /** What came with a call besides its arguments; after authenticate. @throws GrantInvalid */
  origin: (req: IncomingMessage) => RunOrigin;
  /** @throws GrantInvalid */
  heldGrant: (token: string) => GrantWithToken;
  /**
   * The server has its address: what the runtime itself serves (artifacts, without a platform) is found
   * there.
   */
  listening: (url: string) => void;
  /**
   * Call after every restore: gives a clone its own key and secrets, and makes it forget random bytes it
   * shares with others.
   */
  update: (credentials: Credentials) => void;
  /** Whether this process may be put to sleep. */
  activity: () => ActivityReport;
  /** Drains, runs the shutdown hook once, closes every connection. */
  shutdown: () => Promise<void>;
}

/**
 * A class, an agent, or one whose skills were declared elsewhere: the sidecar makes them from a compiled
 * card.
 */
export type AgentSource = AgentClass | Agent | { agent: Agent; declaration: Declaration };

/** How long a reader that does not read may hold up the end. */
const UNREAD_GRACE_MS = 1000;

/** What was still to be said of code that was ended is said within so long. */
const LOST_ANSWER_MS = 1000;

/** The credential of the run, a grant, and what the caller set come as headers. */
const MAX_HEADER_BYTES = 128 * 1024;

/** @throws AgentDeclarationError when the class breaks a rule or the configuration does not fit */
export function createAgentServer(source: AgentSource, options: AgentServerOptions = {}): AgentServer {
  const { agent, declaration } = declared(source);
  configure(agent, declaration, options.config);
  let credentials: Credentials = { apiKey: options.apiKey, secrets: options.secrets };
  const secrets = (): Readonly<Record<string, string>> => credentials.secrets ?? {};
  fillEnvironment(declaration.card, secrets());
  const sink = options.onLog ?? stderrSink(secrets);
  const log = createLog(sink, { agent: declaration.card.name });
  for (const name of declaration.card.required_secrets) if (!(name in secrets())) log.warn(`the required secret "${name}" is not set`);

  const ids = new IdSource();
  const platform = options.platform ?? localPlatform();
  const apiKey = (): string | undefined => credentials.apiKey;
  const addressedAs = platform.agentName ?? declaration.card.name;
  const verify = grantVerifier(addressedAs, () => platform.grantKey(addressedAs));
  const executor = new Executor({
    agent,
    ids,
    declaration,
    log: (bound) => createLog(sink, { agent: declaration.card.name, ...bound }),
    secrets,
    platform,
    verify,
    setup: options.setup,
    maxQueued: options.maxQueued ?? DEFAULTS.maxQueued,
    maxQueueMs: options.maxQueueMs ?? DEFAULTS.maxQueueMs,
    stopGraceMs: DEFAULTS.stopGraceMs,
    healthEveryMs: options.healthEveryMs ?? DEFAULTS.healthEveryMs,
    onCut: (requestId, error) => breakOff((since) => activity.unanswered(since, requestId), error),
  });
  const keyed = (): boolean => apiKey() !== undefined;
  const parts = {
    executor,
    owner: (req: IncomingMessage, auth: Principal) => ownerOf(req, auth, { keyed: keyed(), resolved: agent.authResolver !== undefined }),
    authenticate: createAuthenticate(agent, apiKey, log),
    apiKey,
    // Past authenticate, a set key was shown.
    origin: (req: IncomingMessage) => originOf(req, apiKey() !== undefined, verify),
    maxBodyBytes: options.maxBodyBytes ?? DEFAULTS.maxBodyBytes,
    heartbeatMs: options.heartbeatMs ?? SSE_HEARTBEAT_SECONDS * 1000,
  };
  // Loaded with the first request for it: the protocol package is more than half of what an agent would
  // otherwise load at its start.
  let mcp: Promise<McpFace> | undefined;
  const mcpFace = (): Promise<McpFace> =>
    (mcp ??= import('./mcp.ts').then(({ createMcp }) =>
      createMcp({
        ...parts,
        platform,
        card: declaration.card,
        resources: declaration.resources,
        resumeMs: options.resumeMs ?? DEFAULTS.resumeMs,
        onError: (error) => log.warn('mcp', errorFields(error)),
      }),
    ));
  const localPush = (): boolean => options.localPush ?? !keyed();
  let a2a: Promise<A2aFace> | undefined;
  const a2aFace = (): Promise<A2aFace> =>
    (a2a ??= import('./a2a/face.ts').then(({ createA2a }) =>
      createA2a({
        ...parts,
        platform,
        card: declaration.card,
        bearer: agent.authResolver !== undefined,
        keyed,
        localPush,
        onError: (error) => log.warn('a2a', errorFields(error)),
      }),
    ));
  let agui: Promise<AguiFace> | undefined;
  const aguiFace = (): Promise<AguiFace> => (agui ??= import('./agui/face.ts').then(({ createAgui }) => createAgui({ ...parts, card: declaration.card })));
  const { frontend: packed } = options;
  let frontend: Promise<FrontendFace> | undefined;
  const frontendFace = (of: FrontendOptions): Promise<FrontendFace> =>
    (frontend ??= import('./frontend/open.ts').then(({ openFrontend }) => openFrontend(of, { ...parts, card: declaration.card, log })));
  const card = Buffer.from(JSON.stringify(declaration.card));

  /** The client of a protocol with state of its own: authenticated, and recognised in later requests. */
  const admit = async (req: IncomingMessage): Promise<{ auth: Principal; origin: RunOrigin; owner: Owner }> => {
    refuseForeignPages(req, keyed());
    const auth = await parts.authenticate(req);
    return { auth, origin: parts.origin(req), owner: parts.owner(req, auth) };
  };

  const route = async (req: IncomingMessage, res: ServerResponse, requestId: string): Promise<void> => {
    const path = cardPath(inOneSpelling(pathOf(req)));
    if (path.startsWith('/invoke/')) {
      allow(req, 'POST');
      return await invoke(parts, decode(path.slice('/invoke/'.length)), req, res, requestId);
    }
    if (path === '/healthz') {
      allow(req, 'GET', 'HEAD');
      return await health(executor, isPlatform(req, apiKey()), res);
    }
    if (path === '/.well-known/agent-card') {
      allow(req, 'GET', 'HEAD');
      return sendJson(res, 200, card, { 'cache-control': 'no-cache' });
    }
    if (path === '/mcp' || path === '/mcp/') return await (await mcpFace()).handle(req, res, { ...(await admit(req)), requestId });
    if (path === '/ag-ui') return await (await aguiFace()).handle(req, res, { ...(await admit(req)), requestId });
    if (path === '/.well-known/agent-card.json' || path === '/.well-known/agent.json') {
      allow(req, 'GET', 'HEAD');
      return (await a2aFace()).card(req, res, baseUrlOf(req));
    }
    if (isA2aPath(path)) return await (await a2aFace()).handle(req, res, path, { ...(await admit(req)), requestId, baseUrl: baseUrlOf(req) });
    const ofRun = runRoute(path);
    if (ofRun) return await serveRunRoute({ ...parts, platform }, ofRun, req, res, requestId);
    if (path.startsWith('/artifacts/')) return serveArtifact(platform, path, req, res);
    if (packed && isBelow(path, packed.mount)) return await (await frontendFace(packed)).handle(req, res, path);
    throw new HttpError('not_found', 'no such route; an agent serves /healthz, /.well-known/agent-card, /invoke/{skill}, /mcp, /a2a and /ag-ui');
  };

  const activity = new Activity(executor);
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, (req, res) => {
    const requestId = requestIdOf(req, ids);
    activity.begin(res, requestId);
    route(req, res, requestId).catch((error: unknown) => {
      if (!(error instanceof SvcError)) log.error('request failed', { request_id: requestId, ...errorFields(error) });
      sendError(res, error instanceof SvcError ? error : new SkillInvocationError('the agent failed to answer: find the reason in its log'), requestId);
    });
  });
  // Longer than the ingress keeps an idle connection, or it would write into one that is just being closed.
  server.keepAliveTimeout = 75_000;

  // Node's own list of connections starts with listen(), which need not happen.
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });

  let shutting: Promise<void> | undefined;
  const shutdown = async (): Promise<void> => {
    const closed = server.listening ? new Promise((resolve) => server.close(resolve)) : undefined;
    server.closeIdleConnections();
    await executor.shutdown(options.drainMs ?? DEFAULTS.drainMs);
    await (await mcp)?.close();
    (await a2a)?.close();
    // What has been answered is still sent.
    for (const socket of sockets) socket.destroySoon();
    setTimeout(() => sockets.forEach((socket) => socket.destroy()), UNREAD_GRACE_MS).unref();
    await closed;
  };

  return {
    server,
    card: declaration.card,
    executor,
    authenticate: parts.authenticate,
    origin: parts.origin,
    heldGrant: (token) => ({ token, grant: verify(token) }),
    listening: (url) => platform.listening?.(declaration.card.name, url),
    update: (next) => {
      credentials = next;
      fillEnvironment(declaration.card, secrets());
      ids.forget();
    },
    blocked: (cut) => {
      log.error('code outside of a skill blocked the process and was ended', { blocked_ms: cut.blockedMs, stack: cut.stack });
      breakOff(
        (since) => activity.unanswered(since),
        new SvcError('skill_timeout', 'the agent did not answer: its code blocked the process; its log has the place', 504),
      );
    },
    activity: () => activity.report(),
    shutdown: () => (shutting ??= shutdown()),
  };
}

/** Fails the requests that the ended code has not answered shortly afterwards: it never will. */
function breakOff(find: (since: number) => { response: ServerResponse; requestId: string }[], error: SvcError): void {
  const since = performance.now();
  setTimeout(() => {
    for (const { response, requestId } of find(since)) {
      if (response.headersSent) response.destroy();
      else sendError(response, error, requestId);
    }
  }, LOST_ANSWER_MS).unref();
}

function declared(source: AgentSource): { agent: Agent; declaration: Declaration } {
  if (typeof source === 'object' && 'declaration' in source) return source;
  const agent = typeof source === 'function' ? new source() : source;
  return { agent, declaration: declare(agent) };
}

function configure(agent: Agent, { card }: Declaration, config: unknown = {}): void {
  if (!agent.configModel) return agent.configure({});
  const parsed = agent.configModel.safeParse(config);
  if (!parsed.success) {
    throw new AgentDeclarationError(
      card.name,
      parsed.error.issues.map((issue) => ({ attribute: 'config', message: `${issue.path.join('.') || '(top)'}: ${issue.message}` })),
    );
  }
  agent.configure(parsed.data);
}

/** Only the platform reads here why it is unhealthy; callers of skills read it in their refusals. */
async function health(executor: Executor, platform: boolean, res: ServerResponse): Promise<void> {
  const currentHealth = executor.serving ? await executor.vitals.ask() : undefined;
  const body = currentHealth?.ok ? { status: 'ok' } : { status: 'unhealthy', ...(platform && currentHealth && { reason: currentHealth.reason }) };
  sendJson(res, currentHealth?.ok ? 200 : 503, JSON.stringify(body), { 'cache-control': 'no-store' });
}

/** The task protocol's clients look for the card below the address that they are given. */
function cardPath(path: string): string {
  return path.startsWith('/a2a/.well-known/') ? path.slice('/a2a'.length) : path;
}

/** The mount and what is below it. */
function isBelow(path: string, mount: string): boolean {
  const root = mount.replace(/\/+$/, '');
  return path === root || path.startsWith(`${root}/`);
}

/** As the caller sees the agent; the ingress says what was before it. */
function baseUrlOf({ headers }: IncomingMessage): string {
  return `${headers['x-forwarded-proto'] === 'https' ? 'https' : 'http'}://${headers.host ?? 'localhost'}`;
}

/** Paths of the task protocol's bindings (A2A), 1.0 and 0.3. */
function isA2aPath(path: string): boolean {
  return path === '/a2a' || path === '/extendedAgentCard' || path === '/v1/card' || /^(?:\/v1)?\/(?:message:(?:send|stream)$|tasks(?:$|\/))/.test(path);
}

/**
 * What the runtime keeps itself, where no platform does: for everyone who knows the run's id, which cannot be
 * guessed.
 */
function serveArtifact(platform: RunPlatform, path: string, req: IncomingMessage, res: ServerResponse): void {
  allow(req, 'GET', 'HEAD');
  const [, runId = '', name = ''] = /^\/artifacts\/([\w-]{1,128})\/([^/]+)$/.exec(path) ?? [];
  const artifact = platform.artifact?.(runId, decode(name));
  if (!artifact) throw new HttpError('not_found', 'there is no such artifact');
  res.writeHead(200, {
    'content-type': artifact.mimeType,
    'content-length': artifact.data.byteLength,
    // Browsers must not render an agent's output as a page.
    'content-disposition': 'attachment',
    'content-security-policy': 'sandbox',
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-store',
  });
  res.end(req.method === 'HEAD' ? undefined : artifact.data);
}

function allow(req: IncomingMessage, ...methods: readonly string[]): void {
  if (methods.includes(req.method ?? '')) return;
  throw new HttpError('method_not_allowed', `use ${methods.join(' or ')}`, { allow: methods.join(', ') });
}

function pathOf(req: IncomingMessage): string {
  const url = req.url ?? '/';
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}

function decode(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
