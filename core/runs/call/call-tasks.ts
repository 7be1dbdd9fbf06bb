// The task protocol (A2A) and AG-UI at an agent's address: passed on unchanged; what starts a task or a run
// is a call, and leaves its receipt when its run has ended, also when the connection broke. How it ended is
// read from the run itself, so that no version of the protocol's answers need be understood.
import { setTimeout as delay } from 'node:timers/promises';
import type { Readable } from 'node:stream';
import { HEADER } from '#contract/wire/headers.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { BadRequest } from '../../kernel/errors.ts';
import { traceIdOf } from '../../kernel/trace.ts';
import { beginRun, callerHeaders } from '../run/begin.ts';
import { callingOf, identityHeaders } from '../run/caller.ts';
import { beginCall } from './begin.ts';
import { hashOf, sha256 } from '../run/hash.ts';
import { failedWith } from '../run/outcome.ts';
import type { ToolsAnswer, ToolsCaller, ToolsRequest } from './call-tools.ts';
import { exchange } from './exchange.ts';
import { followAndEnd } from './follow-events.ts';
import { withOwn } from './own-headers.ts';
import { parsed, record, text } from './untrusted-json.ts';
import { keyHeader, placeOf, taskInPath } from '../task/place.ts';
import { pushNamed } from '../task/named.ts';
import { addressee, type Beginning, beginningOfRun } from './run-input.ts';
import { endCall } from './end.ts';

export interface TaskRequest extends ToolsRequest {
  /** `/a2a`, `/message:send`, …, `/ag-ui` */
  path: string;
}

/** So long an answer waits for its receipt when it reports that its task has ended. */
const receiptWaitMs = 3_000;
const OVER = /"state":\s*"(?:TASK_STATE_(?:COMPLETED|FAILED|CANCELL?ED|REJECTED)|completed|failed|canceled|rejected)"/;

export async function callTask(ctx: Ctx, { route, actor, grant }: ToolsCaller, { path, ...request }: TaskRequest): Promise<ToolsAnswer> {
  const begun = beginning(path, request.body);
  if (!begun) {
    // It looks at a task, answers its question, ends it: no run, but the agent must know whose tasks the
    // caller may see.
    const at = await placeOf(ctx, route, { tasks: taskNamed(path, request.body) });
    const run = { ...beginRun(ctx, { route: at, actor, skill: 'task' }), ...pushNamed(actor, parsed(request.body)) };
    const identity = await identityHeaders(ctx, callingOf(run), { apiKey: at.apiKey, runId: null });
    const headers = withOwn(request.headers, { ...(await callerHeaders(ctx, run, at.maxRuntimeMs)), ...identity, ...keyHeader(at) });
    const { status, headers: own, body } = await exchange(ctx, at, { method: 'POST', path, ...request, headers }, async () => undefined);
    return { status, headers: own, body: body.kind === 'stream' ? body.stream : body.bytes };
  }
  // Which skill such a run becomes the agent decides, and what that costs is to be known before.
  if (!begun.named && route.prices)
    throw new BadRequest('priced_skill_unnamed', `${route.agentName} has skills that cost money: name the one that you call, as "skill" in the metadata`);
  const { call, headers: own } = await beginCall(ctx, {
    route,
    actor,
    skill: begun.skill,
    grant,
    input: { inputSha256: begun.inputSha256, args: () => Buffer.from(request.body).toString() },
    kept: begun.args,
    ...pushNamed(actor, parsed(request.body)),
  });
  const traceId = traceIdOf(call.run);
  const headers = withOwn(request.headers, { ...own, [HEADER.detached]: '1' });
  const answer = await exchange(ctx, route, { method: 'POST', path, ...request, headers }, async (outcome) => (await endCall(ctx, call, outcome)).receipt_id);
  if (answer.headers[HEADER.runId] !== call.run.run_id) {
    // Refused before anything was executed; the answer contains the reason.
    const detail = answer.body.kind === 'whole' ? parsed(answer.body.bytes) : undefined;
    const { receipt_id } = await endCall(ctx, call, failedWith(detail, 'task_refused'));
    return { ...passed(answer.body), status: answer.status, headers: answer.headers, receiptId: receipt_id, traceId };
  }
  const pendingReceiptId = followAndEnd(ctx, call).then(
    ({ receipt_id }) => receipt_id,
    // The sweep of runs whose call was lost finds what this could not write.
    () => undefined,
  );
  if (answer.body.kind === 'stream') return { status: answer.status, headers: answer.headers, body: answer.body.stream, traceId };
  // Only how long to wait is decided by the agent's word.
  const over = isOver(answer.body.bytes);
  const receiptId = over ? await Promise.race([pendingReceiptId, delay(receiptWaitMs, undefined, { ref: false })]) : undefined;
  return { status: answer.status, headers: answer.headers, body: answer.body.bytes, traceId, ...(receiptId !== undefined && { receiptId }) };
}

/** Its task is over; or it is a message, which comes when nothing is left to do. */
function isOver(body: Uint8Array): boolean {
  if (OVER.test(Buffer.from(body).toString())) return true;
  const value = record(parsed(body));
  const result = 'jsonrpc' in value ? record(value['result']) : value;
  return result['kind'] === 'message' || (result['message'] ?? result['msg']) !== undefined;
}

function passed(body: { kind: 'stream'; stream: Readable } | { kind: 'whole'; bytes: Buffer }): { body: Readable | Buffer } {
  return { body: body.kind === 'stream' ? body.stream : body.bytes };
}

const SENDS = new Set(['SendMessage', 'SendStreamingMessage', 'message/send', 'message/stream']);

/** The message of a request that starts a task: it sends a message and names no existing task. */
function beginning(path: string, body: Uint8Array): Beginning | undefined {
  if (path === '/ag-ui') return beginningOfRun(body, parsed(body));
  const rpc = path === '/a2a';
  if (!rpc && !/^(?:\/v1)?\/message:(?:send|stream)$/.test(path)) return undefined;
  const sent = record(parsed(body));
  if (rpc && !SENDS.has(String(sent['method']))) return undefined;
  const params = rpc ? record(sent['params']) : sent;
  const message = record(params['message'] ?? params['request']);
  if (text(message['taskId'] ?? message['task_id']) !== undefined) return undefined;
  const list = message['parts'] ?? message['content'];
  const parts = Array.isArray(list) ? list.map(record) : [];
  const data = record(dataIn(parts));
  const named = text(record(message['metadata'])['skill']) ?? text(record(params['metadata'])['skill']) ?? text(data['skill']);
  const words = parts.map((part) => text(part['text']) ?? '').join('\n');
  const addressed = named ?? addressee(words);
  const skill = addressed ?? 'message';
  const input = 'args' in data ? data['args'] : (dataIn(parts) ?? words);
  return {
    skill: skill.slice(0, 128),
    named: addressed !== undefined,
    inputSha256: hashOf(input) ?? sha256(body),
    args: named === undefined ? undefined : input,
  };
}

/** The task that a request is about, in whatever version of the protocol. */
function taskNamed(path: string, body: Uint8Array): string[] {
  const inPath = taskInPath(path);
  if (inPath.length > 0) return inPath;
  const sent = record(parsed(body));
  const params = path === '/a2a' ? record(sent['params']) : sent;
  const message = record(params['message'] ?? params['request']);
  const named = message['taskId'] ?? message['task_id'] ?? params['taskId'] ?? params['task_id'] ?? params['id'] ?? inName(params['name']);
  return typeof named === 'string' && named !== '' ? [named] : [];
}

/** `tasks/<id>/pushNotificationConfigs/…` */
function inName(name: unknown): string | undefined {
  return typeof name === 'string' ? /^tasks\/([^/]+)/.exec(name)?.[1] : undefined;
}

/** 1.0: `{data: value}`; 0.3: `{kind: "data", data: {…}}`, and `{data: {data: {…}}}` over HTTP. */
function dataIn(parts: readonly Record<string, unknown>[]): unknown {
  const data = parts.find((part) => part['data'] !== undefined)?.['data'];
  const inner = record(data);
  return Object.keys(inner).length === 1 && inner['data'] !== undefined ? inner['data'] : data;
}
