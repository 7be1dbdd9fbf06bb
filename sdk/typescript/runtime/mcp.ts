// /mcp: every skill is a tool. The protocol (2026-07-28, and the revisions of 2025 without sessions) is the official server package's; this says
// what tools there are and runs them.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, Server, type Tool } from '@modelcontextprotocol/server';
import type { AgentCard } from '../../../contract/wire/card.ts';
import type { BoundResource } from '../authoring/declare-resource.ts';
import type { Executor } from './executor.ts';
import { showsApps, UI_EXTENSION } from './mcp/apps.ts';
import { canElicit } from './mcp/asking.ts';
import { ToolCalls } from './mcp/calls.ts';
import { callerOf, withCaller, type Caller } from './mcp/caller.ts';
import { sendOn } from './mcp/elicit.ts';
import { CallerLogs } from './mcp/logging.ts';
import { HeaderCheckingServer, withHeaders } from './mcp/param-headers.ts';
import { OwnResources } from './mcp/own-resources.ts';
import { servePrompts } from './mcp/prompts.ts';
import { answerPlain, carriesJson, looksPlain, plainCall } from './mcp/quick.ts';
import { Resources } from './mcp/resources.ts';
import { beginSession, inSession } from './mcp/session.ts';
import { TASKS_EXTENSION } from './mcp/tasks.ts';
import { answerTool } from './mcp/tool-texts.ts';
import { toTool } from './mcp/tools.ts';
import type { RunPlatform } from './platform.ts';
import { HttpError, readJson, sendJson } from './http.ts';

/** Clients get no notice of a new deployment, so caches must expire. */
const TOOLS_FRESH_MS = 60_000;

export interface McpParts {
  card: AgentCard;
  resources: readonly BoundResource[];
  platform: RunPlatform;
  executor: Executor;
  maxBodyBytes: number;
  heartbeatMs: number;
  onError: (error: Error) => void;
}

type Admitted = Omit<Caller, 'asksOnStream' | 'showsApps' | 'gone'>;

export interface McpFace {
  handle(req: IncomingMessage, res: ServerResponse, caller: Admitted): Promise<void>;
  close(): Promise<void>;
}

export function createMcp(parts: McpParts): McpFace {
  const { card, maxBodyBytes, onError } = parts;
  const tools = card.skills.map(toTool);
  const headed = withHeaders(card.skills);
  const logs = new CallerLogs(card);
  const own = new OwnResources(parts.resources, onError);
  const calls = new ToolCalls(parts.executor, logs);
  const info = { name: card.name, version: card.version };
  const options = {
    // Nothing is announced; left out, the checking server would promise it.
    capabilities: {
      tools: { listChanged: false },
      prompts: { listChanged: false },
      resources: { listChanged: false, subscribe: false },
      completions: {},
      ...(logs.offered && { logging: {} }),
      extensions: { [TASKS_EXTENSION]: {}, [UI_EXTENSION]: {} },
    },
    instructions: card.description,
    requestState: { verify: calls.codec.verify },
  };

  const handler = createMcpHandler(
    (context) => {
      const caller = callerOf(context);
      const checking = headed.size > 0 ? new HeaderCheckingServer(info, options, headed) : undefined;
      const server = checking?.server ?? new Server(info, options);
      // In the order the author wrote them. Who may be asked by a form never needs the tool that answers, so their list does not change.
      server.setRequestHandler('tools/list', (_request, asked) => ({
        tools: toolsFor(caller, showsApps(asked, caller.showsApps)),
        ttlMs: canElicit(asked) ? TOOLS_FRESH_MS : 0,
        cacheScope: 'private' as const,
      }));
      server.setRequestHandler('tools/call', ({ params }, call) => calls.call(params.name, params.arguments ?? {}, caller, call, sendOn(server, call)));
      calls.tasks.serve(server, caller);
      const resources = new Resources(own, card.name, parts.platform, caller);
      resources.serve(server, TOOLS_FRESH_MS);
      servePrompts(server, card.skills, TOOLS_FRESH_MS, resources);
      logs.serve(server, caller);
      return checking ?? server;
    },
    { maxRequestBodySize: maxBodyBytes, keepAliveMs: parts.heartbeatMs, onerror: onError },
  );
  const node = toNodeHandler(handler, { maxRequestBodySize: maxBodyBytes, onerror: onError });

  /** A host reads the page of a tool when it connects, so one that shows pages always gets it. */
  function toolsFor(caller: Caller, apps: boolean): Tool[] {
    return apps || calls.hasQuestionsFor(caller) ? [...tools, answerTool({ apps })] : tools;
  }

  async function handle(req: IncomingMessage, res: ServerResponse, given: Admitted): Promise<void> {
    const controller = new AbortController();
    const caller = { ...given, ...inSession(req, given.owner), gone: controller.signal };
    res.on('close', () => controller.abort());
    const isPlain = looksPlain(req);
    // Read here: the package would read its numbers as others than were sent.
    if (!isPlain && !carriesJson(req)) return await node(withCaller(req, caller), res);
    const body = await readJson(req, maxBodyBytes).catch((error: unknown) => {
      if (!(error instanceof HttpError) || error.status !== 400) throw error;
      sendJson(res, 400, JSON.stringify({ jsonrpc: '2.0', error: { code: -32700, message: `Parse error: ${error.message}` }, id: null }));
    });
    if (body === undefined) return;
    if (!isPlain) return await node(withCaller(req, caller), res, body);
    if (calls.elicitations.answered(caller, body)) return void res.writeHead(202).end();
    const call = plainCall(body, req.headers);
    if (call && !headed.has(call.name) && !(call.earlier && logs.wantedBy(caller.owner))) {
      const result = await calls.plain(call.name, call.args, caller, caller.gone);
      if (result) return answerPlain(res, call, result, info);
    }
    beginSession(res, caller.owner, body);
    await node(withCaller(req, caller), res, body);
  }

  return {
    handle,
    close: () => handler.close(),
  };
}
