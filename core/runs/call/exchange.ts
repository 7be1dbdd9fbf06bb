// One request to an agent and its answer, read whole or passed on as a stream. Every failure has its receipt, too.
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { AgentUnreachable, type AgentRequest } from '#drivers/agent-http/port.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { BadGateway, GatewayTimeout, PayloadTooLarge, Unavailable } from '../../kernel/errors.ts';
import type { AgentRoute } from '../../agents/route/resolve.ts';
import { noteFault } from './note-fault.ts';
import { CANCELLED_BY_CALLER, failed, type Outcome } from '../run/outcome.ts';

export interface Exchange {
  status: number;
  /** Lower-case names. */
  headers: Record<string, string | string[]>;
  body: { kind: 'stream'; stream: Readable } | { kind: 'whole'; bytes: Buffer };
}

/** Ends the call and resolves with the id of its receipt; undefined when its run has become durable. */
export type EndFailed = (outcome: Outcome) => Promise<string | undefined>;

const maxAnswerBytes = 16 * 1024 * 1024;
/** Time beyond the skill's own limit: to wake the agent, and for the agent to report its own time-out. */
const marginMs = 30_000;

/** Rejects with BadGateway, GatewayTimeout, Unavailable or PayloadTooLarge, each with the receipt's id. */
export async function exchange(ctx: Ctx, route: AgentRoute, request: Omit<AgentRequest, 'timeoutMs'>, seal: EndFailed): Promise<Exchange> {
  try {
    const timeoutMs = route.maxRuntimeMs + marginMs;
    const { status, headers, body } = await ctx.drivers.agentHttp.send(route, { ...request, timeoutMs, silenceMs: 0 });
    // Without a time limit: a run that waits for a user is silent for days.
    if (String(headers['content-type']).startsWith('text/event-stream')) return { status, headers, body: { kind: 'stream', stream: body } };
    return { status, headers, body: { kind: 'whole', bytes: await buffer(bounded(body, timeoutMs)) } };
  } catch (error) {
    throw await refusal(ctx, route, request.signal, error, seal);
  }
}

async function* bounded(body: Readable, silenceMs: number): AsyncGenerator<Uint8Array> {
  const silence = setTimeout(() => body.destroy(new AgentUnreachable('timeout', 'The agent stopped in the middle of its answer')), silenceMs);
  let bytes = 0;
  try {
    for await (const chunk of body) {
      silence.refresh();
      bytes += chunk.length;
      if (bytes > maxAnswerBytes)
        throw new PayloadTooLarge('answer_too_large', `The agent's answer is larger than ${maxAnswerBytes} bytes: let the skill write an artifact instead`);
      yield chunk;
    }
  } finally {
    clearTimeout(silence);
  }
}

async function refusal(ctx: Ctx, route: AgentRoute, signal: AbortSignal, error: unknown, seal: EndFailed): Promise<Error> {
  if (error instanceof PayloadTooLarge) {
    await seal(failed(error.code));
    return error;
  }
  const reason = signal.aborted ? 'gone' : error instanceof AgentUnreachable ? error.reason : 'refused';
  const receipt_id = await seal(reason === 'gone' ? CANCELLED_BY_CALLER : failed(`agent_${reason}`));
  const details = receipt_id === undefined ? {} : { receipt_id };
  if (reason === 'timeout' || reason === 'refused') await noteFault(ctx, route, `agent_${reason}`);
  if (reason === 'timeout') return new GatewayTimeout('agent_timeout', `${route.agentName} did not answer within ${route.maxRuntimeMs / 1000} s`, details);
  if (reason === 'busy')
    return new Unavailable('agent_busy', `${route.agentName} has too many calls waiting: try again in a moment`, { ...details, retry_after_seconds: 1 });
  return new BadGateway('agent_unreachable', `${route.agentName} could not be reached: see svc logs ${route.agentName}`, details);
}
