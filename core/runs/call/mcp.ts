// `POST /v1/agents/{name}/mcp`: an agent's tools through the API, as at its own address.
import { Readable } from 'node:stream';
import { HEADER } from '#contract/wire/headers.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { BadGateway } from '../../kernel/errors.ts';
import { callTools } from './call-tools.ts';
import { callableRoute } from './invoke.ts';
import type { InvokeOut, PassedStatus } from './invoke.ts';
import { parsed } from './untrusted-json.ts';

/** What the protocol says in headers, of both eras; `mcp-param-*` repeat arguments of a tool. */
const PASSED_HEADER = /^mcp-(?:protocol-version|method|name|session-id|param-.+)$/;

export interface McpIn {
  name: string;
  /** A JSON-RPC message. */
  message: unknown;
  /** Of the request, by their names in lower case. */
  headers: Readonly<Record<string, string>>;
  /** Which forms of an answer the caller takes. */
  accept?: string | undefined;
  grant?: string | undefined;
  signal: AbortSignal;
}

export async function callMcp(ctx: Ctx, i: McpIn): Promise<InvokeOut> {
  const route = await callableRoute(ctx, i.name);
  const headers = [
    ...Object.entries(i.headers)
      .filter(([name]) => PASSED_HEADER.test(name))
      .flat(),
    'accept',
    i.accept ?? '*/*',
    'content-type',
    'application/json',
    'authorization',
    // The caller's own token stays here.
    `Bearer ${route.apiKey}`,
    HEADER.requestId,
    ctx.requestId,
    ...(i.grant === undefined ? [] : [HEADER.grant, i.grant]),
  ];
  const body = Buffer.from(JSON.stringify(i.message));
  const answer = await callTools(ctx, { route, actor: ctx.actor, grant: i.grant }, { body, headers, signal: i.signal });
  const protocolHeaders = Object.entries(answer.headers).flatMap(([name, value]) => (PASSED_HEADER.test(name) ? [[name, String(value)] as const] : []));
  const traced = { ...Object.fromEntries(protocolHeaders), ...(answer.traceId === undefined ? {} : { [HEADER.traceId]: answer.traceId }) };
  const receipt = { ...traced, ...(answer.receiptId === undefined ? {} : { [HEADER.receiptId]: answer.receiptId }) };
  if (answer.body instanceof Readable)
    return { status: 200, headers: { ...traced, 'content-type': 'text/event-stream', 'cache-control': 'no-store' }, body: answer.body };
  const status = statusOf(answer.status);
  if (status === undefined)
    throw new BadGateway('agent_bad_answer', `The agent answered ${answer.status} to a message of MCP`, { agent_status: answer.status });
  return { status, headers: receipt, body: answer.body.length === 0 ? null : (parsed(answer.body) ?? null) };
}

const PASSED: ReadonlySet<number> = new Set([200, 202, 400, 403, 404, 409, 413, 422]);

/** Refusals of the protocol keep their JSON-RPC body; of those without a place here the nearest one. */
function statusOf(status: number): PassedStatus | undefined {
  if (isPassed(status)) return status;
  return status > 400 && status < 500 && status !== 401 ? 400 : undefined;
}

function isPassed(status: number): status is PassedStatus {
  return PASSED.has(status);
}
