// One request to an agent and its answer, read whole or passed on as a stream. Every failure has its receipt,
// too.
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { AgentUnreachable, type AgentRequest } from '#drivers/agent-http/port.ts';
import { MAX_VALUE_BYTES } from '#contract/wire/limits.ts';
import { noteFault } from '../../agents/agent/note-failure.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { BadGateway, GatewayTimeout, PayloadTooLarge, Unavailable } from '../../kernel/errors.ts';
import type { AgentRoute } from '../../agents/route/resolve.ts';
import { answerTooLarge } from '../run/too-large.ts';
import { CANCELLED_BY_CALLER, failed, type Outcome } from '../run/outcome.ts';

/** Lower-case names. */
export type AgentHeaders = Record<string, string | string[]>;

export interface Exchange {
  status: number;
  headers: AgentHeaders;
  body: { kind: 'stream'; stream: Readable } | { kind: 'whole'; bytes: Buffer };
}

/** Ends the call and resolves with the id of its receipt; undefined when its run has become durable. */
type EndFailed = (outcome: Outcome) => Promise<string | undefined>;

/** Protocols repeat a result: as text, escaped, beside its structure. */
const MAX_PROTOCOL_BYTES = 4 * MAX_VALUE_BYTES;
/** Time beyond the skill's own limit: to wake the agent, and for the agent to report its own time-out. */
const marginMs = 30_000;

/**
 * `maxBytes`: of its answer; default: of a protocol's. Rejects with BadGateway, GatewayTimeout, Unavailable
 * or PayloadTooLarge, each with the receipt's id.
 */
export async function exchange(
  ctx: Ctx,
  route: AgentRoute,
  { maxBytes = MAX_PROTOCOL_BYTES, ...request }: Omit<AgentRequest, 'timeoutMs'> & { maxBytes?: number },
  seal: EndFailed,
): Promise<Exchange> {
  let seen: number | undefined;
  try {
    const timeoutMs = route.maxRuntimeMs + marginMs;
    const { status, headers, body } = await ctx.drivers.agentHttp.send(route, { ...request, timeoutMs, silenceMs: 0 });
    seen = status;
    // Without a time limit: a run that waits for a user is silent for days.
    if (String(headers['content-type']).startsWith('text/event-stream')) return { status, headers, body: { kind: 'stream', stream: body } };
    return { status, headers, body: { kind: 'whole', bytes: await buffer(bounded(body, { maxBytes, silenceMs: timeoutMs })) } };
  } catch (error) {
    throw await refusal(ctx, route, request.signal, { error, seen }, seal);
  }
}

async function* bounded(body: Readable, { maxBytes, silenceMs }: { maxBytes: number; silenceMs: number }): AsyncGenerator<Uint8Array> {
  const silence = setTimeout(() => body.destroy(new AgentUnreachable('timeout', 'The agent stopped in the middle of its answer')), silenceMs);
  let bytes = 0;
  try {
    for await (const chunk of body) {
      silence.refresh();
      bytes += chunk.length;
      if (bytes > maxBytes) throw new PayloadTooLarge('answer_too_large', answerTooLarge(maxBytes));
      yield chunk;
    }
  } finally {
    clearTimeout(silence);
  }
}

/** `seen`: the status of an answer that was not read to its end. */
async function refusal(
  ctx: Ctx,
  route: AgentRoute,
  signal: AbortSignal,
  { error, seen }: { error: unknown; seen: number | undefined },
  seal: EndFailed,
): Promise<Error> {
  const observed = seen === undefined ? {} : { agent_status: seen };
  if (error instanceof PayloadTooLarge) {
    const receipt_id = await seal(failed(error.code));
    return new PayloadTooLarge('answer_too_large', error.message, { ...observed, ...(receipt_id === undefined ? {} : { receipt_id }) });
  }
  const reason = signal.aborted ? 'gone' : error instanceof AgentUnreachable ? error.reason : 'refused';
  const receipt_id = await seal(reason === 'gone' ? CANCELLED_BY_CALLER : failed(`agent_${reason}`));
  const details = receipt_id === undefined ? {} : { receipt_id };
  if (reason === 'timeout' || reason === 'refused') await noteFault(ctx, route, `agent_${reason}`);
  if (reason === 'timeout') return new GatewayTimeout('agent_timeout', `${route.agentName} did not answer within ${route.maxRuntimeMs / 1000} s`, details);
  if (reason === 'busy')
    return new Unavailable('agent_busy', `${route.agentName} has too many calls waiting: try again in a moment`, { ...details, retry_after_seconds: 1 });
  return new BadGateway('agent_unreachable', `${route.agentName} could not be reached: see svc logs ${route.agentName}`, { ...details, ...observed });
}
