// One agent as an HTTP server. It listens only when asked to: a host may hand it connections instead (server.emit('connection', socket)).
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { SSE_HEARTBEAT_SECONDS } from '../../../contract/wire/events.ts';
import type { AgentCard } from '../../../contract/wire/card.ts';
import type { Agent, AgentClass } from '../authoring/agent.ts';
import { declare, type Declaration } from '../authoring/declare.ts';
import { AgentDeclarationError, SkillInvocationError, SvcError } from '../authoring/errors.ts';
import { createAuthenticate, type Authenticate } from './authenticate.ts';
import { Executor } from './executor.ts';
import { HttpError, requestIdOf, sendError, sendJson } from './http.ts';
import { IdSource } from './ids.ts';
import { invoke, type InvokeParts } from './invoke.ts';
import { createLog, errorFields, stderrSink } from './log.ts';
import type { McpFace } from './mcp.ts';
import { DEFAULTS, type AgentServerOptions, type Credentials } from './options.ts';
import type { RunPlatform } from './platform.ts';
import { grantVerifier, originOf, type RunOrigin } from './origin.ts';
import { runRoute, serveRunRoute } from './run-routes.ts';
import { localPlatform } from '../platform/local.ts';

export interface AgentServer {
  /** Not listening. */
  server: Server;
  card: AgentCard;
  executor: Executor;
  authenticate: Authenticate;
  /** What came with a call besides its arguments; after authenticate. @throws GrantInvalid */
  origin: (req: IncomingMessage) => RunOrigin;
  /** The server has its address: what the runtime itself serves (artifacts, without a platform) is found there. */
  listening: (url: string) => void;
  /** Call after every restore: gives a clone its own key and secrets, and makes it forget random bytes it shares with others. */
  update: (credentials: Credentials) => void;
  /** Drains, runs the shutdown hook once, closes every connection. */
  shutdown: () => Promise<void>;
}

/** A class, an agent, or one whose skills were declared elsewhere: the sidecar makes them from a compiled card. */
export type AgentSource = AgentClass | Agent | { agent: Agent; declaration: Declaration };

/** How long a reader that does not read may hold up the end. */
const UNREAD_GRACE_MS = 1000;

/** @throws AgentDeclarationError when the class breaks a rule or the configuration does not fit */
export function createAgentServer(source: AgentSource, options: AgentServerOptions = {}): AgentServer {
  const { agent, declaration } = declared(source);
  configure(agent, declaration, options.config);
  let credentials: Credentials = { apiKey: options.apiKey, secrets: options.secrets };
  const secrets = (): Readonly<Record<string, string>> => credentials.secrets ?? {};
  const sink = options.onLog ?? stderrSink(secrets);
  const log = createLog(sink, { agent: declaration.card.name });
  for (const name of declaration.card.required_secrets) if (!(name in secrets())) log.warn(`the required secret "${name}" is not set`);

  const ids = new IdSource();
  const platform = options.platform ?? localPlatform();
  const apiKey = (): string | undefined => credentials.apiKey;
  const verify = grantVerifier(declaration.card.name, () => platform.grantKey);
  const executor = new Executor({
    agent,
    ids,
    declaration,
    log: (bound) => createLog(sink, { agent: declaration.card.name, ...bound }),
    secrets,
    platform,
    verify,
    maxQueued: options.maxQueued ?? DEFAULTS.maxQueued,
    maxQueueMs: options.maxQueueMs ?? DEFAULTS.maxQueueMs,
    stopGraceMs: DEFAULTS.stopGraceMs,
  });
  const parts = {
    executor,
    authenticate: createAuthenticate(agent, apiKey, log),
    apiKey,
    // Past authenticate, a set key was shown.
    origin: (req: IncomingMessage) => originOf(req, apiKey() !== undefined, verify),
    maxBodyBytes: options.maxBodyBytes ?? DEFAULTS.maxBodyBytes,
    heartbeatMs: options.heartbeatMs ?? SSE_HEARTBEAT_SECONDS * 1000,
  };
  // Loaded with the first request for it: the protocol package is more than half of what an agent would otherwise load at its start.
  let mcp: Promise<McpFace> | undefined;
  const mcpFace = (): Promise<McpFace> =>
    (mcp ??= import('./mcp.ts').then(({ createMcp }) =>
      createMcp({ ...parts, card: declaration.card, onError: (error) => log.warn('mcp', errorFields(error)) }),
    ));
  const card = Buffer.from(JSON.stringify(declaration.card));

  const route = async (req: IncomingMessage, res: ServerResponse, requestId: string): Promise<void> => {
    const path = pathOf(req);
    if (path.startsWith('/invoke/')) {
      allow(req, 'POST');
      return await invoke(parts, decode(path.slice('/invoke/'.length)), req, res, requestId);
    }
    if (path === '/healthz') {
      allow(req, 'GET', 'HEAD');
      return await health(agent, executor, res);
    }
    if (path === '/.well-known/agent-card' || path === '/.well-known/agent-card.json') {
      allow(req, 'GET', 'HEAD');
      return sendJson(res, 200, card, { 'cache-control': 'no-cache' });
    }
    if (path === '/mcp') return await serveMcp(await mcpFace(), parts, req, res, requestId);
    const ofRun = runRoute(path);
    if (ofRun) return await serveRunRoute(parts, ofRun, req, res, requestId);
    if (path.startsWith('/artifacts/')) return serveArtifact(platform, path, req, res);
    throw new HttpError(404, 'not_found', 'no such route; an agent serves /healthz, /.well-known/agent-card, /invoke/{skill} and /mcp');
  };

  const server = createServer((req, res) => {
    const requestId = requestIdOf(req, ids);
    route(req, res, requestId).catch((error: unknown) => {
      if (!(error instanceof SvcError)) log.error('request failed', { request_id: requestId, ...errorFields(error) });
      sendError(res, error instanceof SvcError ? error : new SkillInvocationError('the agent failed to answer; its log has the reason'), requestId);
    });
  });
  // Longer than the ingress keeps an idle connection, or it would write into one that is just being closed.
  server.keepAliveTimeout = 75_000;

  // Node's own list of connections begins with listen(), which need not happen.
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
    listening: (url) => platform.listening?.(declaration.card.name, url),
    update: (next) => {
      credentials = next;
      ids.forget();
    },
    shutdown: () => (shutting ??= shutdown()),
  };
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

async function health(agent: Agent, executor: Executor, res: ServerResponse): Promise<void> {
  const healthy = executor.serving && (await agent.health().catch(() => false));
  sendJson(res, healthy ? 200 : 503, healthy ? '{"status":"ok"}' : '{"status":"unhealthy"}', { 'cache-control': 'no-store' });
}

async function serveMcp(
  mcp: McpFace,
  { authenticate, origin: originOfCall }: InvokeParts,
  req: IncomingMessage,
  res: ServerResponse,
  requestId: string,
): Promise<void> {
  const { origin, host } = req.headers;
  // A browser names the page's origin; only the agent's own pages may speak MCP to it (the protocol asks for this check).
  if (origin !== undefined && URL.parse(origin)?.host !== host) throw new HttpError(403, 'auth_error', 'this origin may not use /mcp');
  const auth = await authenticate(req);
  await mcp.handle(req, res, { auth, requestId, origin: originOfCall(req), owner: JSON.stringify(auth) });
}

/** What the runtime keeps itself, where no platform does: given to whoever knows the run's id, which is not to be guessed. */
function serveArtifact(platform: RunPlatform, path: string, req: IncomingMessage, res: ServerResponse): void {
  allow(req, 'GET', 'HEAD');
  const [, runId = '', name = ''] = /^\/artifacts\/([\w-]{1,128})\/([^/]+)$/.exec(path) ?? [];
  const found = platform.artifact?.(runId, decode(name));
  if (!found) throw new HttpError(404, 'not_found', 'there is no such artifact');
  res.writeHead(200, {
    'content-type': found.mimeType,
    'content-length': found.data.byteLength,
    // An agent's output is nobody's page.
    'content-disposition': 'attachment',
    'content-security-policy': 'sandbox',
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-store',
  });
  res.end(req.method === 'HEAD' ? undefined : found.data);
}

function allow(req: IncomingMessage, ...methods: readonly string[]): void {
  if (methods.includes(req.method ?? '')) return;
  throw new HttpError(405, 'method_not_allowed', `use ${methods.join(' or ')}`, { allow: methods.join(', ') });
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
