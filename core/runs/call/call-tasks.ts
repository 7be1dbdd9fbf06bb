// The task protocol (A2A) and AG-UI at an agent's address: passed on unchanged; what starts a task or a run
// is a call, and leaves its receipt when its run has ended, also when the connection broke. How it ended is
// read from the run itself, so that no version of the protocol's answers need be understood.
import { HEADER } from '#contract/wire/headers.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { BadRequest } from '../../kernel/errors.ts';
import { beginRun, callerHeaders } from '../run/begin.ts';
import { callingOf, identityHeaders } from '../run/caller.ts';
import { hashOf, sha256 } from '../run/hash.ts';
import { failedWith } from '../run/outcome.ts';
import { pushNamed } from '../task/named.ts';
import { keyHeader, routeOfTask, taskInPath } from '../task/place.ts';
import { oneCall } from './begin.ts';
import type { ProtocolCaller, ProtocolRequest } from './call-tools.ts';
import type { Exchange } from './exchange.ts';
import { withOwn } from './own-headers.ts';
import { passOn, perform, type Performed, type Reading } from './perform.ts';
import { addressee, type Beginning, beginningOfRun } from './run-input.ts';
import { parsed, asRecord, nonEmptyText } from './untrusted-json.ts';

/** So long an answer waits for its receipt when it reports that its task has ended. */
const receiptWaitMs = 3_000;
const OVER = /"state":\s*"(?:TASK_STATE_(?:COMPLETED|FAILED|CANCELL?ED|REJECTED)|completed|failed|canceled|rejected)"/;

/** `path`: `/a2a`, `/message:send`, …, `/ag-ui`. */
export async function callTask(
  ctx: Ctx,
  { route, actor, grant }: ProtocolCaller,
  { headers, ...request }: ProtocolRequest & { path: string },
): Promise<Performed> {
  const { path, body } = request;
  const sent = parsed(body);
  const begun = beginning(path, body, sent);
  const names = pushNamed(actor, sent);
  if (!begun) {
    // It looks at a task, answers its question, ends it: no run, but the agent must know whose tasks the
    // caller may see.
    const at = await routeOfTask(ctx, route, { tasks: taskNamed(path, sent) });
    const run = { ...beginRun(ctx, { route: at, actor, skill: 'task' }), ...names };
    const identity = await identityHeaders(ctx, callingOf(run), { apiKey: at.apiKey, runId: null });
    const own = { ...(await callerHeaders(ctx, run, at.maxRuntimeMs)), ...identity, ...keyHeader(at) };
    return passOn(ctx, at, own, { ...request, headers: (own) => withOwn(headers, own) });
  }
  // Which skill such a run becomes the agent decides, and what that costs is to be known before.
  if (!begun.named && route.prices)
    throw new BadRequest('priced_skill_unnamed', `${route.agentName} has skills that cost money: name the one that you call, as "skill" in the metadata`);
  const { skill, inputSha256, args } = begun;
  const input = { inputSha256, args: () => Buffer.from(body).toString() };
  return perform(ctx, oneCall({ route, actor, skill, grant, input, kept: () => args, ...names }), {
    ...request,
    headers: (own) => withOwn(headers, { ...own, [HEADER.detached]: '1' }),
    read: (answer, runId) => readAnswer(answer, runId, skill),
  });
}

/**
 * How the run ends is read from the run itself; in the answer is only whether it began, and how long to wait.
 */
function readAnswer({ headers, body }: Exchange, runId: string, skill: string): Reading {
  const whole = body.kind === 'whole' ? body.bytes : undefined;
  if (headers[HEADER.runId] === runId)
    return { kind: 'answered', verdicts: new Map([[skill, { state: 'goes_on' }]]), patienceMs: whole && isOver(whole) ? receiptWaitMs : 0 };
  // Refused before anything was executed; the answer contains the reason.
  return { kind: 'answered', verdicts: new Map([[skill, failedWith(whole && parsed(whole), 'task_refused')]]) };
}

/** Its task is over; or it is a message, which comes when nothing is left to do. */
function isOver(body: Uint8Array): boolean {
  if (OVER.test(Buffer.from(body).toString())) return true;
  const value = asRecord(parsed(body));
  const result = 'jsonrpc' in value ? asRecord(value['result']) : value;
  return result['kind'] === 'message' || (result['message'] ?? result['msg']) !== undefined;
}

const SENDS = new Set(['SendMessage', 'SendStreamingMessage', 'message/send', 'message/stream']);

/** The message of a request that starts a task: it sends a message and names no existing task. */
function beginning(path: string, body: Uint8Array, request: unknown): Beginning | undefined {
  if (path === '/ag-ui') return beginningOfRun(body, request);
  const rpc = path === '/a2a';
  if (!rpc && !/^(?:\/v1)?\/message:(?:send|stream)$/.test(path)) return undefined;
  const sent = asRecord(request);
  if (rpc && !SENDS.has(String(sent['method']))) return undefined;
  const params = rpc ? asRecord(sent['params']) : sent;
  const message = asRecord(params['message'] ?? params['request']);
  if (nonEmptyText(message['taskId'] ?? message['task_id']) !== undefined) return undefined;
  const list = message['parts'] ?? message['content'];
  const parts = Array.isArray(list) ? list.map(asRecord) : [];
  const data = asRecord(dataIn(parts));
  const named = nonEmptyText(asRecord(message['metadata'])['skill']) ?? nonEmptyText(asRecord(params['metadata'])['skill']) ?? nonEmptyText(data['skill']);
  const words = parts.map((part) => nonEmptyText(part['text']) ?? '').join('\n');
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
function taskNamed(path: string, request: unknown): string[] {
  const inPath = taskInPath(path);
  if (inPath.length > 0) return inPath;
  const sent = asRecord(request);
  const params = path === '/a2a' ? asRecord(sent['params']) : sent;
  const message = asRecord(params['message'] ?? params['request']);
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
  const inner = asRecord(data);
  return Object.keys(inner).length === 1 && inner['data'] !== undefined ? inner['data'] : data;
}
