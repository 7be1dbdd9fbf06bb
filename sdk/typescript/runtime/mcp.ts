// /mcp: every skill is a tool. The protocol (2026-07-28, and the revisions of 2025 without sessions) is the official server package's; this says
// what tools there are and runs them.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, Server, type Tool } from '@modelcontextprotocol/server';
import type { AgentCard } from '../../../contract/wire/card.ts';
import type { Executor } from './executor.ts';
import { canElicit } from './mcp/asking.ts';
import { answerTool, ToolCalls } from './mcp/calls.ts';
import { callerOf, withCaller, type Caller } from './mcp/caller.ts';
import { sendOn } from './mcp/elicit.ts';
import { CallerLogs } from './mcp/logging.ts';
import { HeaderCheckingServer, withHeaders } from './mcp/param-headers.ts';
import { servePrompts } from './mcp/prompts.ts';
import { answerPlain, looksPlain, plainCall } from './mcp/quick.ts';
import { beginSession, inSession } from './mcp/session.ts';
import { TASKS_EXTENSION } from './mcp/tasks.ts';
import { toTool } from './mcp/tools.ts';
import { HttpError, readJson, sendJson } from './http.ts';

/** Clients get no notice of a new deployment, so caches must expire. */
const TOOLS_FRESH_MS = 60_000;

export interface McpParts {
  card: AgentCard;
  executor: Executor;
  maxBodyBytes: number;
  heartbeatMs: number;
  onError: (error: Error) => void;
}

export interface McpFace {
  handle(req: IncomingMessage, res: ServerResponse, caller: Omit<Caller, 'asksOnStream'>): Promise<void>;
  close(): Promise<void>;
}

export function createMcp(parts: McpParts): McpFace {
  const { card, maxBodyBytes, onError } = parts;
  const tools = card.skills.map(toTool);
  const headed = withHeaders(card.skills);
  const logs = new CallerLogs(card);
  const calls = new ToolCalls(parts.executor, logs);
  const info = { name: card.name, version: card.version };
  const options = {
    // Nothing is announced; left out, the checking server would promise it.
    capabilities: {
      tools: { listChanged: false },
      prompts: { listChanged: false },
      completions: {},
      ...(logs.offered && { logging: {} }),
      extensions: { [TASKS_EXTENSION]: {} },
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
        tools: toolsFor(caller),
        ttlMs: canElicit(asked) ? TOOLS_FRESH_MS : 0,
        cacheScope: 'private' as const,
      }));
      server.setRequestHandler('tools/call', ({ params }, call) => calls.call(params.name, params.arguments ?? {}, caller, call, sendOn(server, call)));
      calls.tasks.serve(server, caller);
      servePrompts(server, card.skills, TOOLS_FRESH_MS);
      logs.serve(server, caller);
      return checking ?? server;
    },
    { maxRequestBodySize: maxBodyBytes, keepAliveMs: parts.heartbeatMs, onerror: onError },
  );
  const node = toNodeHandler(handler, { maxRequestBodySize: maxBodyBytes, onerror: onError });

  function toolsFor(caller: Caller): Tool[] {
    return calls.hasQuestionsFor(caller) ? [...tools, answerTool()] : tools;
  }

  async function handle(req: IncomingMessage, res: ServerResponse, given: Omit<Caller, 'asksOnStream'>): Promise<void> {
    const caller = { ...given, ...inSession(req, given.owner) };
    if (!looksPlain(req)) return await node(withCaller(req, caller), res);
    const body = await readJson(req, maxBodyBytes).catch((error: unknown) => {
      if (!(error instanceof HttpError) || error.status !== 400) throw error;
      sendJson(res, 400, '{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: the body is not JSON"},"id":null}');
    });
    if (body === undefined) return;
    if (calls.elicitations.answered(caller, body)) return void res.writeHead(202).end();
    const call = plainCall(body, req.headers);
    if (call && !headed.has(call.name) && !(call.earlier && logs.wantedBy(caller.owner))) {
      const gone = new AbortController();
      const leave = (): void => gone.abort();
      res.on('close', leave);
      const result = await calls.plain(call.name, call.args, caller, gone.signal);
      res.off('close', leave);
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
