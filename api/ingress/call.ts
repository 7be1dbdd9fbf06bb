// Calls among the requests to an agent's host: read whole, made by the domain (which seals their receipts),
// answered as the agent did.
import { isUtf8 } from 'node:buffer';
import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { isMcpPath } from '#contract/identity/resources.ts';
import { HEADER } from '#contract/wire/headers.ts';
import { MAX_VALUE_BYTES } from '#contract/wire/limits.ts';
import { SKILL_NAME } from '#contract/wire/names.ts';
import { requireAllSkills } from '#core/agents/route/may-call.ts';
import type { HostCall } from '#core/runs/call/at-host.ts';
import { BadRequest, PayloadTooLarge } from '#core/kernel/errors.ts';
import { NOT_UTF8 } from '../http/body.ts';
import type { HostAnswer } from '../http/call-answer.ts';
import { readBody } from '../http/packed-body.ts';
import { isPackable, packed, packedHeaders, packingFor, withVary } from '../http/packing.ts';
import { isEventStream, withKeepAlive } from '../http/idle-timer.ts';
import { besideCross } from './cross-origin.ts';
import { grantOf, toCaller, withoutLength } from './headers.ts';
import type { HttpVisit, Outcome, Ready, Step } from './step.ts';

/** Makes calls of skills and tools; what else an agent serves is passed on as it is. */
export type CallAgent = (call: HostCall, requestId: string) => Promise<HostAnswer>;

const SKILL_PATH = new RegExp(`^/invoke/(${SKILL_NAME})$`);

/** What a request calls, if it is a call. */
function faceOf(method: string | undefined, path: string): HostCall['face'] | undefined {
  if (method !== 'POST') return undefined;
  if (isMcpPath(path)) return { kind: 'tools' };
  const task = TASK_MESSAGE.exec(path)?.[1];
  if (task !== undefined) return { kind: 'task', path: task };
  const skill = SKILL_PATH.exec(decoded(path))?.[1];
  return skill === undefined ? undefined : { kind: 'skill', skill };
}

/** The agent decodes a skill's name: written in another way it is the same call, with its receipt. */
function decoded(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

export function createCall(callAgent: CallAgent, heartbeatMs: number): Step<HttpVisit & Ready> {
  return (visit) => {
    const face = faceOf(visit.request.method, visit.path);
    if (face === undefined) return undefined;
    if (face.kind === 'task') requireAllSkills(visit.actor);
    return passCall(visit, face, callAgent, heartbeatMs);
  };
}

async function passCall(visit: HttpVisit & Ready, face: HostCall['face'], callAgent: CallAgent, heartbeatMs: number): Promise<Outcome> {
  const { request, response, requestId, route, actor } = visit;
  const gone = new AbortController();
  response.once('close', () => response.writableFinished || gone.abort());
  const body = await readBody(request, MAX_VALUE_BYTES, tooLarge);
  if (!isUtf8(body)) throw new BadRequest('body_not_utf8', `the body ${NOT_UTF8}`);
  const key = face.kind === 'skill' ? request.headersDistinct['idempotency-key']?.[0] : undefined;
  // Read whole and unpacked, the body has this length, whatever the caller said.
  const sent = [...withoutLength(visit.headers), 'content-length', String(body.length)];
  const call = { route, actor, face, body, ...(key !== undefined && { key }), grant: grantOf(request), headers: sent, signal: gone.signal };
  const answer = await callAgent(call, requestId);
  const headers: Record<string, string | string[] | number> = {
    ...besideCross(response, toCaller(answer.headers, requestId)),
    ...(answer.traceId === undefined ? {} : { [HEADER.traceId]: answer.traceId }),
    ...(answer.receiptId === undefined ? {} : { [HEADER.receiptId]: answer.receiptId }),
  };
  if (Buffer.isBuffer(answer.body)) {
    const { body: bytes, headers: beside } = await packedAnswer(request.headers, answer.body, answer.status, headers);
    response.writeHead(answer.status, { ...headers, ...beside, 'content-length': bytes.length }).end(bytes);
    if (!response.writableFinished && !response.closed) await once(response, 'close');
    return 'ok';
  }
  delete headers['content-length'];
  response.writeHead(answer.status, headers).flushHeaders();
  return pipeline(isEventStream(answer.headers) ? withKeepAlive(answer.body, heartbeatMs) : answer.body, response).then(
    () => 'ok' as const,
    () => 'broken' as const,
  );
}

function tooLarge(): PayloadTooLarge {
  return new PayloadTooLarge('body_too_large', `the arguments of a call may have at most ${MAX_VALUE_BYTES} bytes`);
}

type Packed = { body: Buffer; headers: Record<string, string> };

/** As it is, or packed where that may be (packing.ts). */
async function packedAnswer(asked: IncomingHttpHeaders, body: Buffer, status: number, headers: Readonly<Record<string, unknown>>): Promise<Packed> {
  if (status !== 200 || !isPackable(headers, body.length)) return { body, headers: {} };
  const vary = withVary(headers['vary'], 'accept-encoding');
  const packing = packingFor(asked);
  if (packing === undefined) return { body, headers: { vary } };
  return { body: await packed(body, packing), headers: { ...packedHeaders(packing, headers['etag']), vary } };
}

/**
 * Messages to an agent, in whatever binding, push addresses, and runs of AG-UI; agents tolerate a slash
 * behind them.
 */
const TASK_MESSAGE = /^(\/(?:a2a|ag-ui|(?:v1\/)?message:(?:send|stream)|tasks\/[^/:]+\/pushNotificationConfigs))\/?$/;
