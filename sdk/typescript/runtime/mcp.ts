// /mcp: every skill is a tool. The protocol is the official server package's; this says what tools there are and runs them.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type AuthInfo,
  type CallToolResult,
  type McpRequestContext,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import type { AgentCard, SkillCard } from '../../../contract/wire/card.ts';
import { ArtifactRef, ProgressPayload } from '../../../contract/wire/events.ts';
import type { Principal } from '../authoring/auth.ts';
import { CancelledByCaller, SkillInputError, SkillNotFound, SvcError } from '../authoring/errors.ts';
import type { Executor } from './executor.ts';

export interface McpParts {
  card: AgentCard;
  executor: Executor;
  maxBodyBytes: number;
  heartbeatMs: number;
  onError: (error: Error) => void;
}

export interface McpFace {
  handle(req: IncomingMessage, res: ServerResponse, caller: { auth: Principal; requestId: string }): Promise<void>;
  close(): Promise<void>;
}

/** What authentication found, carried through the package's own field for it. */
interface Caller {
  auth: Principal;
  requestId: string;
}

export function createMcp(parts: McpParts): McpFace {
  const tools = parts.card.skills.map(toTool);
  const handler = createMcpHandler((context) => createServer(parts, tools, callerOf(context)), {
    maxRequestBodySize: parts.maxBodyBytes,
    keepAliveMs: parts.heartbeatMs,
    onerror: parts.onError,
  });
  const node = toNodeHandler(handler, { maxRequestBodySize: parts.maxBodyBytes, onerror: parts.onError });
  return {
    handle: (req, res, caller) => node(withCaller(req, caller), res),
    close: () => handler.close(),
  };
}

/** The adapter reads `req.auth`. A server's request always has a method and a URL; node's type, shared with clients, does not say so. */
function withCaller(req: IncomingMessage, caller: Caller): Parameters<ReturnType<typeof toNodeHandler>>[0] {
  const auth: AuthInfo = { token: '', clientId: 'caller', scopes: [], extra: { ...caller } };
  return Object.assign(req, { auth }) as IncomingMessage & { method: string; url: string; auth: AuthInfo };
}

function callerOf(context: McpRequestContext): Caller {
  const extra = context.authInfo?.extra ?? {};
  const { auth, requestId } = extra;
  // Set by handle() above and by nobody else.
  return { auth: typeof auth === 'object' && auth !== null ? { ...auth } : {}, requestId: String(requestId) };
}

function createServer({ card, executor }: McpParts, tools: Tool[], caller: Caller): Server {
  const server = new Server({ name: card.name, version: card.version }, { capabilities: { tools: {} }, instructions: card.description });
  server.setRequestHandler('tools/list', () => ({ tools }));
  server.setRequestHandler('tools/call', ({ params }, context) => call(executor, params.name, params.arguments ?? {}, caller, context));
  return server;
}

async function call(executor: Executor, name: string, args: Record<string, unknown>, caller: Caller, context: ServerContext): Promise<CallToolResult> {
  const artifacts: ArtifactRef[] = [];
  const report = progressReporter(context);
  try {
    const prepared = await executor.prepare(name, args, caller.auth);
    const run = executor.start(prepared, {
      requestId: caller.requestId,
      sink: (kind, payload) => {
        if (kind === 'artifact') artifacts.push(ArtifactRef.parse(payload));
        if (kind === 'progress') return report(ProgressPayload.parse(payload));
      },
    });
    context.mcpReq.signal.addEventListener('abort', () => run.stop(new CancelledByCaller()), { once: true });
    return success(await run.result, artifacts);
  } catch (error) {
    if (error instanceof SkillNotFound) throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
    if (error instanceof SvcError) return failure(error, caller.requestId);
    throw error;
  }
}

/** Numbers of `progress` must grow, whatever the skill reports. */
function progressReporter({ mcpReq }: ServerContext): (payload: ProgressPayload) => Promise<void> | undefined {
  const token = mcpReq._meta?.progressToken;
  let last = 0;
  return ({ message, progress, total }) => {
    if (token === undefined) return undefined;
    last = progress !== undefined && progress > last ? progress : last + 1;
    const params = { progressToken: token, progress: last, message, ...(progress !== undefined && total !== undefined && { total }) };
    // A reader that went away is noticed by the signal; the skill need not hear of it here.
    return mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}

function success(result: unknown, artifacts: readonly ArtifactRef[]): CallToolResult {
  const value = result ?? null;
  const links = artifacts.map(({ name, uri, mime_type, size_bytes }) => ({ type: 'resource_link' as const, name, uri, mimeType: mime_type, size: size_bytes }));
  return { content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }, ...links], structuredContent: structured(value) };
}

/** A model reads this text and tries again, so it says what to mend. */
function failure(error: SvcError, requestId: string): CallToolResult {
  const issues = error instanceof SkillInputError ? error.issues.map((issue) => `\n- ${issue.path.join('.') || '(top)'}: ${issue.message}`) : [];
  return { isError: true, content: [{ type: 'text', text: `${error.code}: ${error.message}${issues.join('')} (request ${requestId})` }] };
}

function toTool(skill: SkillCard): Tool {
  return {
    name: skill.id,
    description: skill.description,
    inputSchema: { ...skill.input_schema, type: 'object' },
    outputSchema: isObjectSchema(skill) ? { ...skill.output_schema, type: 'object' } : wrapped(skill.output_schema),
    ...(skill.policy.idempotent && { annotations: { idempotentHint: true } }),
  };
}

// Structured content is an object by the protocol; other results are carried as its one member `result`.
function structured(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : { result: value };
}

function isObjectSchema(skill: SkillCard): boolean {
  return skill.output_schema['type'] === 'object';
}

function wrapped(schema: Record<string, unknown>): Tool['outputSchema'] {
  // Without a declared output the result may be an object itself: then anything goes.
  if (Object.keys(schema).length === 0) return { type: 'object' };
  return { type: 'object', properties: { result: schema as object }, required: ['result'] }; // a JSON Schema by declare()
}
