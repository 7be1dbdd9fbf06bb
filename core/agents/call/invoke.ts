// A call of a skill through the platform: authorised, routed (which wakes the agent), bridged, sealed.
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { canonicalJson } from '../../../contract/wire/canonical.ts';
import { HEADER } from '../../../contract/wire/headers.ts';
import { AgentUnreachable, type InvokeAnswer } from '../../../drivers/agent-http/port.ts';
import { requireUser } from '../../actors.ts';
import type { Ctx, UserActor } from '../../ctx.ts';
import { BadGateway, Conflict, GatewayTimeout, PayloadTooLarge, Unavailable } from '../../errors.ts';
import { visibleAgent } from '../agent/find.ts';
import { type AgentRoute, resolveRoute } from '../route/resolve.ts';
import { bridgeStream } from './bridge.ts';
import { type Ending, sealCall } from './seal.ts';

export interface InvokeIn {
  name: string;
  skill_name: string;
  args: Record<string, unknown>;
  /** `text/event-stream` asks for the events of the run, whatever the skill. */
  accept: string | undefined;
  /** Aborted when the caller goes away: the skill is cancelled. */
  signal: AbortSignal;
}

/** Refusals of the agent's own that its caller can mend are theirs to see; everything else is a fault between us and the agent. */
export type PassedStatus = 200 | 400 | 403 | 404 | 409 | 413 | 422;
const passed: readonly number[] = [200, 400, 403, 404, 409, 413, 422] satisfies PassedStatus[];

export interface InvokeOut {
  status: PassedStatus;
  headers: Record<string, string>;
  /** The agent's JSON, or its events as bytes. */
  body: unknown;
}

const maxAnswerBytes = 16 * 1024 * 1024;
/** Time beyond the skill's own limit for waking the agent and for the agent to say that the limit passed. */
const marginMs = 30_000;

export async function invokeSkill(ctx: Ctx, i: InvokeIn): Promise<InvokeOut> {
  const user = requireUser(ctx);
  const call = await prepare(ctx, user, i);
  const answer = await send(ctx, call, i);
  if (answer.status === 200 && answer.headers['content-type']?.startsWith('text/event-stream')) {
    return { status: 200, headers: streamHeaders(answer), body: Readable.from(bridgeStream(ctx, call, answer.body, i.signal), { objectMode: false }) };
  }
  const body = await readAnswer(ctx, call, answer);
  const receipt = await sealCall(ctx, call, endingOf(answer.status, body));
  const headers = { [HEADER.receiptId]: receipt.receipt_id };
  if (!isPassed(answer.status)) throw agentFailed(answer.status, receipt.receipt_id);
  return { status: answer.status, headers, body };
}

export interface Call {
  user: UserActor;
  route: AgentRoute;
  skill: string;
  inputSha256: string;
  body: string;
  startedAt: number;
}

async function prepare(ctx: Ctx, user: UserActor, i: InvokeIn): Promise<Call> {
  const agent = await visibleAgent(ctx.db, user, i.name);
  const route = await resolveRoute(ctx, agent.name);
  if (!route) throw new Conflict('agent_not_live', `${i.name} has no live deployment: deploy it first`);
  return { user, route, skill: i.skill_name, inputSha256: sha256(canonicalJson(i.args)), body: JSON.stringify(i.args), startedAt: ctx.clock() };
}

async function send(ctx: Ctx, call: Call, i: InvokeIn): Promise<InvokeAnswer> {
  try {
    return await ctx.drivers.agentHttp.invoke(call.route, {
      skill: call.skill,
      body: call.body,
      // The caller's own token stays here: an agent that held it could act as them.
      headers: { authorization: `Bearer ${call.route.apiKey}`, [HEADER.requestId]: ctx.requestId, accept: i.accept ?? 'application/json' },
      signal: i.signal,
      timeoutMs: call.route.maxRuntimeMs + marginMs,
    });
  } catch (error) {
    throw await unreached(ctx, call, error);
  }
}

async function readAnswer(ctx: Ctx, call: Call, answer: InvokeAnswer): Promise<unknown> {
  try {
    const raw = await text(bounded(answer.body));
    return raw === '' ? null : JSON.parse(raw);
  } catch (error) {
    if (error instanceof SyntaxError) {
      const { receipt_id } = await sealCall(ctx, call, { status: 'error', errorCode: 'bad_answer' });
      throw new BadGateway('agent_bad_answer', 'The agent answered with something that is not JSON', { agent_status: answer.status, receipt_id });
    }
    throw await unreached(ctx, call, error);
  }
}

async function* bounded(body: Readable): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) throw new PayloadTooLarge('answer_too_large', `The agent's answer is larger than ${maxAnswerBytes} bytes: let the skill write an artifact instead`);
    yield chunk;
  }
}

/** A call that reached nobody, or broke off, still leaves its receipt. */
async function unreached(ctx: Ctx, call: Call, error: unknown): Promise<Error> {
  if (error instanceof PayloadTooLarge) {
    await sealCall(ctx, call, { status: 'error', errorCode: error.code });
    return error;
  }
  const reason = error instanceof AgentUnreachable ? error.reason : 'refused';
  const { receipt_id } = await sealCall(ctx, call, reason === 'gone' ? { status: 'cancelled', errorCode: 'cancelled_by_caller' } : { status: 'error', errorCode: `agent_${reason}` });
  const details = { receipt_id };
  if (reason === 'timeout') return new GatewayTimeout('agent_timeout', `${call.route.agentName} did not answer within ${call.route.maxRuntimeMs / 1000} s`, details);
  if (reason === 'busy') return new Unavailable('agent_busy', `${call.route.agentName} has too many calls waiting: try again in a moment`, details);
  return new BadGateway('agent_unreachable', `${call.route.agentName} could not be reached: its logs tell more (svc logs ${call.route.agentName})`, details);
}

function isPassed(status: number): status is PassedStatus {
  return passed.includes(status);
}

function agentFailed(status: number, receiptId: string): Error {
  const details = { agent_status: status, receipt_id: receiptId };
  if (status === 504) return new GatewayTimeout('skill_timeout', 'The skill did not end within its time', details);
  if (status === 503) return new Unavailable('agent_busy', 'The agent has as many calls as it takes: try again in a moment', details);
  return new BadGateway('agent_error', 'The agent answered with an error of its own: its logs tell more', details);
}

function endingOf(status: number, body: unknown): Ending {
  if (status < 400) return { status: 'ok', outputSha256: sha256(canonicalJson(body)) };
  return { status: 'error', errorCode: errorCode(body) ?? `http_${status}` };
}

export function errorCode(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('detail' in body)) return undefined;
  const { detail } = body;
  return typeof detail === 'object' && detail !== null && 'code' in detail && typeof detail.code === 'string' ? detail.code.slice(0, 128) : undefined;
}

export function sha256(value: string): string {
  return createHash('sha256').update(value).digest('hex');
}

function streamHeaders(answer: InvokeAnswer): Record<string, string> {
  return { 'content-type': answer.headers['content-type'] ?? 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' };
}
