// What the caller of an agent gets of its call: the one place that makes a status, headers and a body of what
// core performed. At the agent's own address the agent's answer passes as it is; the API has its own words.
import type { Readable } from 'node:stream';
import { pathTo } from '#contract/path-to.ts';
import { HEADER } from '#contract/wire/headers.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import { AgentFailed, BadGateway } from '#core/kernel/errors.ts';
import type { AgentHeaders } from '#core/runs/call/exchange.ts';
import type { Performed } from '#core/runs/call/perform.ts';
import { parsed } from '#core/runs/call/untrusted-json.ts';
import { agentErrorOf, failureCode, isRefusal, type RefusalStatus } from '#core/runs/run/agent-error.ts';

type Whole = Exclude<Performed, { kind: 'stream' } | { kind: 'deferred' }>;

export interface SkillAnswer {
  status: 200 | 202 | RefusalStatus;
  headers: Record<string, string>;
  /** The agent's JSON, or its events as bytes. */
  body: unknown;
}

/**
 * Refusals of the agent's own that its caller can mend are theirs to see; everything else is a fault between
 * us and the agent. @throws AgentFailed; BadGateway agent_bad_answer
 */
export function skillAnswer(performed: Performed): SkillAnswer {
  const headers = named(performed);
  if (performed.kind === 'stream') return { status: 200, headers: { ...eventHeaders, 'x-accel-buffering': 'no', ...headers }, body: performed.stream };
  if (performed.kind === 'deferred') {
    const { run } = performed;
    const location = pathTo('GET /v1/agents/{name}/api/runs/{run_id}', { name: run.agent, run_id: run.run_id });
    return { status: 202, headers: { ...headers, location }, body: run };
  }
  const { kind, status, value } = performed;
  if (kind === 'unreadable') throw new BadGateway('agent_bad_answer', 'The agent answered with something that is not JSON', { agent_status: status, ...receiptOf(performed) }); // prettier-ignore
  if (kind === 'answered') return { status: 200, headers, body: value };
  if (isRefusal(status)) return { status, headers, body: value };
  throw agentFailed(status, performed);
}

export interface HostAnswer {
  status: number;
  /** The agent's own, for the caller to get as far as they may pass. */
  headers: AgentHeaders;
  body: Readable | Buffer;
  receiptId?: string;
  traceId?: string;
}

/** The agent's own answer; JSON of ours, as the agent would send it, where a durable run answers. */
export function hostAnswer({ config }: Pick<Ctx, 'config'>, performed: Performed): HostAnswer {
  const { receiptId, traceId, runId } = performed;
  const of = { ...(receiptId !== undefined && { receiptId }), ...(traceId !== undefined && { traceId }) };
  const run = runId === undefined ? {} : { [HEADER.runId]: runId };
  if (performed.kind === 'stream')
    return {
      status: performed.status,
      headers: performed.headers ?? { ...eventHeaders, 'content-type': 'text/event-stream; charset=utf-8', ...run },
      body: performed.stream,
      ...of,
    };
  if (performed.kind === 'deferred') {
    const { agent, run_id } = performed.run;
    // Where the run is read and followed is the API's, not the agent's.
    return { status: 202, headers: { ...jsonHeaders, location: `${config.baseUrl}/v1/agents/${agent}/api/runs/${run_id}` }, body: json(performed.run), ...of };
  }
  const { status, headers = { ...jsonHeaders, ...run }, bytes, value } = performed;
  return { status, headers, body: bytes ?? json(value ?? null), ...of };
}

/** What the protocol says in headers, of both eras; `mcp-param-*` repeat arguments of a tool. */
const MCP_HEADER = /^mcp-(?:protocol-version|method|name|session-id|param-.+)$/;

/** Of a request, or of an answer. */
export function mcpHeaders(headers: Readonly<Record<string, string | string[]>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (MCP_HEADER.test(name) ? [[name, String(value)]] : [])));
}

/**
 * Refusals of the protocol keep their JSON-RPC body; of those without a place here the nearest one.
 * @throws BadGateway agent_bad_answer
 */
export function mcpAnswer(performed: Performed): SkillAnswer {
  const { [HEADER.runId]: _, ...own } = named(performed);
  if (performed.kind === 'deferred') return skillAnswer(performed);
  const headers = { ...mcpHeaders(performed.headers ?? {}), ...own };
  if (performed.kind === 'stream') return { status: 200, headers: { ...headers, ...eventHeaders }, body: performed.stream };
  const { status, bytes } = performed;
  const passes = status === 200 || status === 202 || isRefusal(status) ? status : status > 400 && status < 500 && status !== 401 ? 400 : undefined;
  if (passes === undefined) throw new BadGateway('agent_bad_answer', `The agent answered ${status} to a message of MCP`, { agent_status: status });
  return { status: passes, headers, body: bytes ? (parsed(bytes) ?? null) : null };
}

/**
 * With the agent's own message where it sent one; it sends none for its unexpected errors. `as`: the status
 * that decides the code.
 */
export function agentFailed(as: number, of: Pick<Whole, 'status' | 'value' | 'headers' | 'receiptId' | 'runId'>): AgentFailed {
  const { status, value, headers } = of;
  const error = agentErrorOf(value);
  const code = failureCode(as);
  const wait = code === 'agent_busy' ? { retry_after_seconds: retryAfter(headers) } : {};
  const details = { agent_status: status, ...receiptOf(of), ...(error?.issues && { issues: error.issues }), ...wait };
  return new AgentFailed(code, error?.code, error?.message ?? UNSAID[code], details);
}

const UNSAID = {
  skill_timeout: 'The skill did not end within its time',
  agent_busy: 'The agent has as many calls as it takes: try again in a few seconds',
  agent_error: 'The agent returned an error: see its logs',
} as const;

/** Seconds, from the agent; at most a minute. */
export function retryAfter(headers: AgentHeaders | undefined): number {
  const seconds = Number(headers?.['retry-after']);
  return Number.isFinite(seconds) ? Math.min(60, Math.max(1, Math.ceil(seconds))) : 1;
}

/** With the run, so that who reads the refusal finds its page. */
export function receiptOf({ receiptId, runId }: { receiptId?: string | undefined; runId?: string | undefined }): { receipt_id?: string; run_id?: string } {
  return { ...(receiptId !== undefined && { receipt_id: receiptId }), ...(runId !== undefined && { run_id: runId }) };
}

/** Of trace, run and receipt. */
export function named({ kind, traceId, runId, receiptId }: Performed): Record<string, string> {
  return {
    ...(traceId !== undefined && { [HEADER.traceId]: traceId }),
    ...(runId !== undefined && { [HEADER.runId]: runId }),
    // Of what cannot be read it stands in the refusal.
    ...(receiptId !== undefined && kind !== 'unreadable' && { [HEADER.receiptId]: receiptId }),
  };
}

const eventHeaders = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' };
const jsonHeaders = { 'content-type': 'application/json; charset=utf-8' };

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
