// `POST /mcp`: passed on unchanged, and every `tools/call` in it leaves a receipt, as a plain call of the
// skill would.
import { parseExact } from '#contract/wire/exact-json.ts';
import type { Readable } from 'node:stream';
import { readTraceparent, TRACEPARENT, TRACESTATE, type TraceContext } from '#contract/wire/trace-context.ts';
import type { Actor, Ctx } from '../../kernel/ctx.ts';
import { BadRequest } from '../../kernel/errors.ts';
import { traceIdOf } from '../../kernel/trace.ts';
import type { AgentRoute } from '../../agents/route/resolve.ts';
import { requireSkill } from '../../agents/route/may-call.ts';
import { beginRun, callerHeaders } from '../run/begin.ts';
import { callingAt, identityHeaders } from '../run/caller.ts';
import { beginCalls } from './begin.ts';
import { hashOf, sha256 } from '../run/hash.ts';
import { CANCELLED_BY_CALLER, failed, failedWith, type Outcome, succeeded } from '../run/outcome.ts';
import type { Call } from './call.ts';
import { exchange } from './exchange.ts';
import { followAndEnd } from './follow-events.ts';
import { endCall } from './end.ts';
import { withOwn } from './own-headers.ts';
import { keyHeader, placeOf } from '../task/place.ts';
import { continued, refersTo } from './continued.ts';
import type { SkillRequest } from './run-skill.ts';
import { watchStream } from './watch.ts';

export interface ToolsAnswer {
  status: number;
  headers: Record<string, string | string[]>;
  body: Readable | Buffer;
  /** Of the last tool called; a stream's receipts are found in the agent's list. */
  receiptId?: string;
  /** Of the run that answers the tools called. */
  traceId?: string;
}

/** Each leaves its receipt. */
const maxCallsAtOnce = 32;

interface ToolCall {
  id: string | number;
  skill: string;
  args: unknown;
}

export interface ToolsRequest extends Omit<SkillRequest, 'headers'> {
  body: Uint8Array;
  /** Name and value in turn. */
  headers: readonly string[];
}

export interface ToolsCaller {
  route: AgentRoute;
  actor: Actor;
  /** A grant token the caller passes on. */
  grant: string | undefined;
}

export async function callTools(outer: Ctx, { route, actor, grant }: ToolsCaller, request: ToolsRequest): Promise<ToolsAnswer> {
  for (const skill of toolNames(request.body)) requireSkill(actor, skill);
  // What the protocol says is closer to the call than a header, which stands for the whole request.
  const ctx: Ctx = { ...outer, trace: traceIn(request.body) ?? outer.trace };
  const wanted = toolCalls(request.body);
  if (wanted.length > maxCallsAtOnce) throw new BadRequest('too_many_calls', `One request may call at most ${maxCallsAtOnce} tools: send several`);
  if (new Set(wanted.map(({ id }) => id)).size < wanted.length)
    throw new BadRequest('duplicate_id', 'Two calls of one request have the same id: give each its own');
  let open = new Map<ToolCall['id'], Call>();
  let traceId: string | undefined;
  let headers = [...request.headers];
  const [first] = wanted;
  // Other messages of the protocol start no run; one that answers a tool's question belongs to the run that
  // asked.
  const at = first ? route : await placeOf(ctx, route, continued(messages(asText(request.body)).map(refersTo)));
  if (!first) {
    const looks = isAboutOwn(request.body) ? await callerHeaders(ctx, beginRun(ctx, { route: at, actor, skill: 'mcp' }), at.maxRuntimeMs) : {};
    headers = withOwn(headers, { ...looks, ...(await identityHeaders(ctx, callingAt(at, actor), { apiKey: at.apiKey, runId: null })), ...keyHeader(at) });
  }
  if (first) {
    const input = {
      inputSha256: hashOf(wanted.map(({ skill, args }) => [skill, args])) ?? sha256(request.body),
      args: () => wanted.map(({ skill, args }) => ({ skill, args })),
    };
    const called = new Map(wanted.map(({ id, skill, args }) => [id, { skill, inputSha256: hashOf(args) ?? sha256(request.body), args }]));
    const begun = await beginCalls(ctx, { route, actor, skill: wanted.length === 1 ? first.skill : 'mcp', grant, input }, called);
    headers = withOwn(headers, begun.headers);
    open = begun.calls;
    traceId = traceIdOf(begun.run);
  }
  const endRest = async (outcome: Outcome): Promise<string | undefined> => {
    let last: string | undefined;
    for (const call of open.values()) last = (await endCall(ctx, call, outcome)).receipt_id;
    open.clear();
    return last;
  };
  const answer = await exchange(ctx, at, { method: 'POST', path: '/mcp', ...request, headers }, endRest);
  const { status, body } = answer;
  const traced = traceId === undefined ? {} : { traceId };
  if (body.kind === 'stream') return { status, headers: answer.headers, body: watched(ctx, open, body.stream, request.signal), ...traced };
  let receiptId: string | undefined;
  for (const { id, outcome } of outcomesIn(body.bytes.toString())) {
    const call = open.get(id);
    if (!call) continue;
    open.delete(id);
    if (outcome === 'continues') void followAndEnd(ctx, call).catch(() => undefined);
    else receiptId = (await endCall(ctx, call, outcome)).receipt_id;
  }
  receiptId = (await endRest(failed(`http_${status}`))) ?? receiptId;
  return { status, headers: answer.headers, body: body.bytes, ...traced, ...(receiptId === undefined ? {} : { receiptId }) };
}

const STREAM_BROKEN = failed('stream_broken');

/** The protocol leaves no room for our event in its stream. */
function watched(ctx: Ctx, open: Map<string | number, Call>, upstream: Readable, signal: AbortSignal): Readable {
  const ended = new Map<string | number, Outcome | 'continues'>();
  return watchStream(upstream, signal, {
    onEvent: ({ data }) => {
      for (const { id, outcome } of outcomesIn(data)) if (open.has(id)) ended.set(id, outcome);
    },
    onEnd: async (how) => {
      for (const [id, outcome] of ended) {
        const call = open.get(id);
        open.delete(id);
        if (!call) continue;
        // The sweep of runs whose call was lost finds what cannot be followed.
        if (outcome === 'continues') void followAndEnd(ctx, call).catch(() => undefined);
        else await endCall(ctx, call, outcome);
      }
      // What has no answer continues at its agent (it waits for a user, or its client may come again), or was
      // cancelled by a message: its run says how it ends. One that the agent does not know has ended with the
      // connection.
      const unknown = how === 'left' ? CANCELLED_BY_CALLER : STREAM_BROKEN;
      for (const call of open.values()) void followAndEnd(ctx, call, unknown).catch(() => undefined);
      open.clear();
      return undefined;
    },
  });
}

/** JSON-RPC requests `tools/call` of a body, one or (in old revisions of the protocol) a list. */
function toolCalls(body: Uint8Array): ToolCall[] {
  return messages(asText(body)).flatMap(({ id, method, params }) => {
    if (method !== 'tools/call' || id === undefined || typeof params?.name !== 'string' || answers(params)) return [];
    return [{ id, skill: params.name.slice(0, 128), args: params.arguments ?? {} }];
  });
}

/** `_meta.traceparent` of the first that says one (SEP-414). */
function traceIn(body: Uint8Array): TraceContext | undefined {
  for (const { params } of messages(asText(body))) {
    const meta = params?._meta;
    const trace =
      typeof meta === 'object' && meta !== null && TRACEPARENT in meta
        ? readTraceparent(meta[TRACEPARENT], TRACESTATE in meta ? meta[TRACESTATE] : undefined)
        : undefined;
    if (trace) return trace;
  }
  return undefined;
}

/** Of every `tools/call`, in whatever form: what starts no run here may still name a skill. */
function toolNames(body: Uint8Array): string[] {
  return messages(asText(body)).flatMap(({ method, params }) => (method === 'tools/call' ? [typeof params?.name === 'string' ? params.name : ''] : []));
}

/**
 * About what is a caller's own (tasks, open questions and calls, the level of their log, files,
 * subscriptions; a prompt or a completion may name a file): the agent must know who asks.
 */
const OWN_METHOD =
  /^(?:tasks\/(?:get|update|cancel)|logging\/setLevel|tools\/list|resources\/(?:list|read|subscribe|unsubscribe)|subscriptions\/listen|prompts\/get|completion\/complete|notifications\/cancelled)$/;

/** The caller sends what a tool asked for: the same run, so the same receipt. */
function answers({ name, requestState }: NonNullable<RpcMessage['params']>): boolean {
  return typeof requestState === 'string' || name === 'answer_question';
}

function isAboutOwn(body: Uint8Array): boolean {
  return messages(asText(body)).some(
    ({ id, method, params }) =>
      // Without a method it answers what the agent asked on the stream of a call.
      (method === undefined && id !== undefined) || OWN_METHOD.test(method ?? '') || (method === 'tools/call' && params !== undefined && answers(params)),
  );
}

/**
 * JSON-RPC answers of a body or event. A failed tool reports it inside its result; a tool that asks its
 * caller continues.
 */
function outcomesIn(text: string): Ended[] {
  return messages(text).flatMap(({ id, result, error, method }): Ended[] => {
    if (id === undefined || method !== undefined) return [];
    if (error !== undefined) return [{ id, outcome: failed(`mcp_${error.code ?? 'error'}`) }];
    if (result?.resultType === 'task' || result?.resultType === 'input_required' || result?._meta?.['svc/question'] !== undefined)
      return [{ id, outcome: 'continues' }];
    if (result?.isError === true) return [{ id, outcome: failedWith({ detail: result._meta?.['svc/error'] }, 'tool_error') }];
    return [{ id, outcome: succeeded(result?.structuredContent ?? result?.content ?? null) }];
  });
}

interface Ended {
  id: string | number;
  outcome: Outcome | 'continues';
}

interface RpcMessage {
  id?: string | number;
  method?: string;
  params?: { name?: unknown; arguments?: unknown; requestState?: unknown; _meta?: unknown };
  result?: { isError?: unknown; structuredContent?: unknown; content?: unknown; resultType?: unknown; _meta?: Record<string, unknown> | null };
  error?: { code?: number };
}

/** As agents read it: without the mark that may stand before a text. */
function asText(body: Uint8Array): string {
  return new TextDecoder().decode(body);
}

function messages(text: string): RpcMessage[] {
  try {
    const value: unknown = parseExact(text);
    return (Array.isArray(value) ? value : [value]).flatMap((one) => asMessage(one));
  } catch {
    return [];
  }
}

/** Only what has the shape is looked at: both sides may send anything. */
function asMessage(value: unknown): RpcMessage[] {
  if (typeof value !== 'object' || value === null) return [];
  const record = toRecord(value);
  const { id, method, params, result, error } = record;
  return [
    {
      ...(typeof id === 'string' || typeof id === 'number' ? { id } : {}),
      ...(typeof method === 'string' ? { method } : {}),
      ...(typeof params === 'object' && params !== null ? { params } : {}),
      ...(typeof result === 'object' && result !== null ? { result } : {}),
      ...(typeof error === 'object' && error !== null ? { error: 'code' in error && typeof error.code === 'number' ? { code: error.code } : {} } : {}),
    },
  ];
}

// Safe: any object may be read as a record of unknown members.
function toRecord(value: object): Record<string, unknown> {
  return value as Record<string, unknown>;
}
