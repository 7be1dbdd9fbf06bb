// /mcp: every skill is a tool. The protocol (2026-07-28, and the revisions of 2025) is the official server
// package's; this says what tools there are and runs them.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, Server, type McpServer, type Tool } from '@modelcontextprotocol/server';
import type { AgentCard } from '../../../contract/wire/card.ts';
import type { BoundResource } from '../authoring/declare-resource.ts';
import type { Executor } from './executor.ts';
import { BOTH, readsOf } from './mcp/accept.ts';
import { showsApps, UI_EXTENSION } from './mcp/apps.ts';
import { canElicit } from './mcp/asking.ts';
import { ToolCalls } from './mcp/calls.ts';
import { callerOf, withCaller, type Caller } from './mcp/caller.ts';
import { Cancellations } from './mcp/cancellations.ts';
import { refuseCursor } from './mcp/cursor.ts';
import { EarlierClients } from './mcp/earlier.ts';
import { sendOn } from './mcp/elicit.ts';
import { CallerLogs } from './mcp/logging.ts';
import { HeaderCheckingServer, withHeaders } from './mcp/param-headers.ts';
import { OwnResources } from './mcp/own-resources.ts';
import { promptForm } from './mcp/prompt-form.ts';
import { servePrompts } from './mcp/prompts.ts';
import { answerPlain, carriesJson, looksPlain, plainCall } from './mcp/quick.ts';
import { Resources } from './mcp/resources.ts';
import { beginSession, inSession } from './mcp/session.ts';
import { Subscriptions } from './mcp/subscriptions.ts';
import { TASKS_EXTENSION } from './mcp/tasks.ts';
import { answerTool } from './mcp/tool-texts.ts';
import { toTool } from './mcp/tools.ts';
import type { RunPlatform } from './platform.ts';
import { HttpError, readJson, sendJson } from './http.ts';

/** Clients get no notice of a new deployment, so caches must expire. */
const TOOLS_FRESH_MS = 60_000;
/** The revision without a handshake. */
const NEWEST = '2026-07-28';

export interface McpParts {
  card: AgentCard;
  resources: readonly BoundResource[];
  platform: RunPlatform;
  executor: Executor;
  maxBodyBytes: number;
  heartbeatMs: number;
  resumeMs: number;
  onError: (error: Error) => void;
}

type Admitted = Pick<Caller, 'auth' | 'requestId' | 'owner' | 'origin'>;

export interface McpFace {
  handle(req: IncomingMessage, res: ServerResponse, caller: Admitted): Promise<void>;
  close(): Promise<void>;
}

export function createMcp(parts: McpParts): McpFace {
  const { card, maxBodyBytes, onError } = parts;
  const tools = card.skills.map(toTool);
  const headed = withHeaders(card.skills);
  const logs = new CallerLogs(card);
  const own = new OwnResources(parts.resources, onError, (uri) => {
    subscriptions.changed(uri);
    handler.notify.resourceUpdated(uri);
  });
  const subscriptions = new Subscriptions(own, parts.heartbeatMs);
  const cancellations = new Cancellations();
  const calls = new ToolCalls(parts.executor, logs, { platform: parts.platform, agent: card.name, onError: (error) => onError(asError(error)) });
  const info = { name: card.name, version: card.version };
  const options = {
    // Nothing is announced; left out, the checking server would promise it.
    capabilities: {
      tools: { listChanged: false },
      prompts: { listChanged: false },
      resources: { listChanged: false, subscribe: true },
      completions: {},
      ...(logs.offered && { logging: {} }),
      extensions: { [TASKS_EXTENSION]: {}, [UI_EXTENSION]: {} },
    },
    instructions: card.description,
    requestState: { verify: calls.codec.verify },
  };

  function serverFor(caller: Caller): McpServer | Server {
    const checking = headed.size > 0 ? new HeaderCheckingServer(info, options, headed) : undefined;
    const server = checking?.server ?? new Server(info, options);
    // In the order the author wrote them. Who may be asked by a form never needs the tool that answers, so
    // their list does not change.
    server.setRequestHandler('tools/list', async ({ params }, asked) => {
      refuseCursor(params);
      const shown = await toolsFor(caller, showsApps(asked, caller.showsApps));
      return { tools: shown, ttlMs: canElicit(asked) ? TOOLS_FRESH_MS : 0, cacheScope: 'private' as const };
    });
    server.setRequestHandler('tools/call', ({ params }, call) => calls.call(params.name, params.arguments ?? {}, caller, call, sendOn(server, call)));
    calls.tasks.serve(server, caller);
    const resources = new Resources(own, card.name, parts.platform, caller);
    resources.serve(server, TOOLS_FRESH_MS);
    subscriptions.serve(server, caller);
    servePrompts(server, card.skills, TOOLS_FRESH_MS, { resources, fillIn: promptForm({ caller, elicitations: calls.elicitations, codec: calls.codec }) });
    logs.serve(server, caller);
    return checking ?? server;
  }

  const handler = createMcpHandler((context) => serverFor(callerOf(context)), {
    maxRequestBodySize: maxBodyBytes,
    keepAliveMs: parts.heartbeatMs,
    onerror: onError,
  });
  const node = toNodeHandler(handler, { maxRequestBodySize: maxBodyBytes, onerror: onError });
  const earlier = new EarlierClients({ serverFor, cancellations, subscriptions, keepAliveMs: parts.heartbeatMs, resumeMs: parts.resumeMs, onError });

  /** A host reads the page of a tool when it connects, so one that shows pages always gets it. */
  async function toolsFor(caller: Caller, apps: boolean): Promise<Tool[]> {
    return apps || (await calls.hasQuestionsFor(caller)) ? [...tools, answerTool({ apps })] : tools;
  }

  async function handle(req: IncomingMessage, res: ServerResponse, given: Admitted): Promise<void> {
    const controller = new AbortController();
    res.on('close', () => controller.abort());
    const newest = req.headers['mcp-protocol-version'] === NEWEST;
    const reads = readsOf(req.headers.accept);
    const { asksOnStream, ...inOne } = inSession(req, given.owner);
    const caller: Caller = { ...given, ...inOne, asksOnStream: asksOnStream && reads !== 'json', reads: reads ?? 'json', gone: controller.signal };
    if (req.method === 'GET' && !newest && earlier.get(req, res, caller)) return;
    if (req.method === 'POST' && reads === undefined) return refuse(res, 406, -32_000, 'Not Acceptable: the answer is application/json or text/event-stream');
    // Who takes one form gets that; the package wants both named.
    if (req.method === 'POST') req.headers.accept = BOTH;
    // Read here: the package would read its numbers as others than were sent.
    if (!carriesJson(req)) return await node(withCaller(req, caller), res);
    const body = await readJson(req, maxBodyBytes).catch((error: unknown) => {
      if (!(error instanceof HttpError) || error.status !== 400) throw error;
      refuse(res, 400, -32_700, `Parse error: ${error.message}`);
    });
    if (body === undefined) return;
    if (newest) return await serveNewest(req, res, caller, body);
    if (calls.elicitations.answered(caller, body) || cancellations.took(caller, body)) return void res.writeHead(202).end();
    if (looksPlain(req) && (await answeredPlain(req, res, caller, body, () => controller.abort()))) return;
    beginSession(res, body);
    if (earlier.isOf(req, body)) return await earlier.post(req, res, caller, body);
    await node(withCaller(req, caller), res, body);
  }

  async function serveNewest(req: IncomingMessage, res: ServerResponse, caller: Caller, body: unknown): Promise<void> {
    if (looksPlain(req) && (await answeredPlain(req, res, caller, body))) return;
    await node(withCaller(req, caller), res, await subscriptions.allowed(caller, body));
  }

  /** @param cancel ends the call for a client of 2025 that says so */
  async function answeredPlain(req: IncomingMessage, res: ServerResponse, caller: Caller, body: unknown, cancel?: () => void): Promise<boolean> {
    const call = plainCall(body, req.headers);
    if (!call || headed.has(call.name) || (call.earlier && logs.wantedBy(caller.owner))) return false;
    const over = cancel && cancellations.add(caller, call.id, cancel);
    const result = await calls.plain(call.name, call.args, caller, caller.gone).finally(over);
    if (result) answerPlain(res, call, result, { reads: caller.reads, serverInfo: info });
    return result !== undefined;
  }

  return {
    handle,
    close: async () => {
      own.close();
      earlier.close();
      subscriptions.close();
      await handler.close();
    },
  };
}

function refuse(res: ServerResponse, status: number, code: number, message: string): void {
  sendJson(res, status, JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null }));
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
