// `POST /mcp`: passed on unchanged, and every `tools/call` in it leaves a receipt, as a plain call of the
// skill would.
import { parseExact } from '#contract/wire/exact-json.ts';
import { readTraceparent, TRACEPARENT, TRACESTATE, type TraceContext } from '#contract/wire/trace-context.ts';
import type { Actor, Ctx } from '../../kernel/ctx.ts';
import { BadRequest } from '../../kernel/errors.ts';
import type { AgentRoute } from '../../agents/route/resolve.ts';
import { requireSkill } from '../../agents/route/may-call.ts';
import { beginRun, callerHeaders } from '../run/begin.ts';
import { callingAt, identityHeaders } from '../run/caller.ts';
import { hashOf, sha256 } from '../run/hash.ts';
import { CANCELLED_BY_CALLER, failed, failedWith, succeeded } from '../run/outcome.ts';
import { keyHeader, routeOfTask } from '../task/place.ts';
import type { CallId } from './begin.ts';
import { continued, refersTo } from './continued.ts';
import type { Exchange } from './exchange.ts';
import { withOwn } from './own-headers.ts';
import { type Listener, passOn, perform, type Performed, type Reading, type Verdict } from './perform.ts';

/** Each leaves its receipt. */
const maxCallsAtOnce = 32;

interface ToolCall {
  id: CallId;
  skill: string;
  args: unknown;
}

/** A request of a protocol, passed on as it came. */
export interface ProtocolRequest {
  body: Uint8Array;
  /** Name and value in turn. */
  headers: readonly string[];
  signal: AbortSignal;
}

export interface ProtocolCaller {
  route: AgentRoute;
  actor: Actor;
  /** A grant token the caller passes on. */
  grant: string | undefined;
}

export async function callTools(outer: Ctx, { route, actor, grant }: ProtocolCaller, { headers, ...request }: ProtocolRequest): Promise<Performed> {
  // As agents read it: without the mark that may stand before a text.
  const sent = messages(new TextDecoder().decode(request.body));
  for (const skill of toolNames(sent)) requireSkill(actor, skill);
  // What the protocol says is closer to the call than a header, which stands for the whole request.
  const ctx: Ctx = { ...outer, trace: traceIn(sent) ?? outer.trace };
  const written = { path: '/mcp', ...request, headers: (own: Readonly<Record<string, string>>) => withOwn(headers, own) };
  const wanted = toolCalls(sent);
  const [first] = wanted;
  if (!first) {
    // Other messages of the protocol start no run; one that answers a tool's question belongs to the run that
    // asked.
    const at = await routeOfTask(ctx, route, continued(sent.map(refersTo)));
    const looks = isAboutOwn(sent) ? await callerHeaders(ctx, beginRun(ctx, { route: at, actor, skill: 'mcp' }), at.maxRuntimeMs) : {};
    return passOn(ctx, at, { ...looks, ...(await identityHeaders(ctx, callingAt(at, actor), { apiKey: at.apiKey, runId: null })), ...keyHeader(at) }, written);
  }
  if (wanted.length > maxCallsAtOnce) throw new BadRequest('too_many_calls', `One request may call at most ${maxCallsAtOnce} tools: send several`);
  const calls = new Map(wanted.map(({ id, skill, args }) => [id, { skill, inputSha256: hashOf(args) ?? sha256(request.body) }]));
  if (calls.size < wanted.length) throw new BadRequest('duplicate_id', 'Two calls of one request have the same id: give each its own');
  const isOne = wanted.length === 1;
  const input = {
    inputSha256: hashOf(wanted.map(({ skill, args }) => [skill, args])) ?? sha256(request.body),
    args: () => wanted.map(({ skill, args }) => ({ skill, args })),
  };
  const calling = { route, actor, skill: isOne ? first.skill : 'mcp', grant, input, calls, kept: () => (isOne ? first.args : undefined) };
  return perform(ctx, calling, { ...written, read: ({ body }) => readAnswer(calls, body), listen: () => listener(calls) });
}

type Ids = Pick<ReadonlyMap<CallId, unknown>, 'has'>;

/** Of two answers to one call the first counts. */
function readAnswer(calls: Ids, body: Exchange['body']): Reading {
  const verdicts = new Map<CallId, Verdict>();
  for (const [id, verdict] of body.kind === 'whole' ? verdictsIn(body.bytes.toString()) : []) if (calls.has(id) && !verdicts.has(id)) verdicts.set(id, verdict);
  return { kind: 'answered', verdicts };
}

const STREAM_BROKEN = failed('stream_broken');

/** The protocol leaves no room for our event in its stream. */
function listener(calls: Ids): Listener {
  const verdicts = new Map<CallId, Verdict>();
  return {
    verdicts,
    onEvent({ data }) {
      for (const [id, verdict] of verdictsIn(data)) if (calls.has(id)) verdicts.set(id, verdict);
    },
    // What has no answer continues at its agent (it waits for a user, or its client may come again), or was
    // cancelled by a message: its run says how it ends. One that the agent does not know has ended with the
    // connection.
    unsaid: (how) => ({ state: 'goes_on', unknown: how === 'left' ? CANCELLED_BY_CALLER : STREAM_BROKEN }),
  };
}

/** JSON-RPC requests `tools/call`. */
function toolCalls(sent: readonly RpcMessage[]): ToolCall[] {
  return sent.flatMap(({ id, method, params }) => {
    if (method !== 'tools/call' || id === undefined || typeof params?.name !== 'string' || answers(params)) return [];
    return [{ id, skill: params.name.slice(0, 128), args: params.arguments ?? {} }];
  });
}

/** `_meta.traceparent` of the first that says one (SEP-414). */
function traceIn(sent: readonly RpcMessage[]): TraceContext | undefined {
  for (const { params } of sent) {
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
function toolNames(sent: readonly RpcMessage[]): string[] {
  return sent.flatMap(({ method, params }) => (method === 'tools/call' ? [typeof params?.name === 'string' ? params.name : ''] : []));
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

function isAboutOwn(sent: readonly RpcMessage[]): boolean {
  return sent.some(
    ({ id, method, params }) =>
      // Without a method it answers what the agent asked on the stream of a call.
      (method === undefined && id !== undefined) || OWN_METHOD.test(method ?? '') || (method === 'tools/call' && params !== undefined && answers(params)),
  );
}

/**
 * JSON-RPC answers of a body or event. A failed tool reports it inside its result; a tool that asks its
 * caller continues.
 */
function verdictsIn(text: string): [CallId, Verdict][] {
  return messages(text).flatMap(({ id, result, error, method }): [CallId, Verdict][] => {
    if (id === undefined || method !== undefined) return [];
    if (error !== undefined) return [[id, failed(`mcp_${error.code ?? 'error'}`)]];
    if (result?.resultType === 'task' || result?.resultType === 'input_required' || result?._meta?.['svc/question'] !== undefined)
      return [[id, { state: 'goes_on' }]];
    if (result?.isError === true) return [[id, failedWith({ detail: result._meta?.['svc/error'] }, 'tool_error')]];
    return [[id, succeeded(result?.structuredContent ?? result?.content ?? null)]];
  });
}

interface RpcMessage {
  id?: string | number;
  method?: string;
  params?: { name?: unknown; arguments?: unknown; requestState?: unknown; _meta?: unknown };
  result?: { isError?: unknown; structuredContent?: unknown; content?: unknown; resultType?: unknown; _meta?: Record<string, unknown> | null };
  error?: { code?: number };
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
