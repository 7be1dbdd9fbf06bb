// What the caller of an agent's named endpoint gets: an endpoint answers with JSON, as every route of the API
// does.
import type { Ctx } from '#core/kernel/ctx.ts';
import { PayloadTooLarge, PlatformFailed } from '#core/kernel/errors.ts';
import type { EndpointCalled } from '#core/runs/call/endpoint.ts';
import type { Performed } from '#core/runs/call/perform.ts';
import { agentErrorOf } from '#core/runs/run/agent-error.ts';
import { answerTooLarge } from '#core/runs/run/too-large.ts';
import { agentFailed, named, receiptOf, retryAfter } from './call-answer.ts';

export interface EndpointAnswer {
  status: 200 | 400 | 401 | 402 | 403 | 404 | 405 | 409 | 422 | 503;
  headers: Record<string, string>;
  body: Record<string, unknown>;
}

/** An endpoint has no 413: its caller sent nothing that was too large. */
export function endpointFault(error: unknown): unknown {
  return error instanceof PayloadTooLarge ? badAnswer(error.message, error.details) : error;
}

/** @throws AgentFailed for its 5xx; PlatformFailed endpoint_bad_answer */
export function endpointAnswer(ctx: Pick<Ctx, 'requestId'>, { performed, others }: EndpointCalled): EndpointAnswer {
  if (performed.kind === 'stream') performed.stream.destroy();
  const answer = { value: undefined, headers: {}, status: 202, ...performed };
  const { status, value } = answer;
  if (status >= 500) throw agentFailed(502, answer);
  const details = { agent_status: status, ...receiptOf(performed) };
  if (agentErrorOf(value)?.code === 'answer_too_large') throw badAnswer(answerTooLarge(), details);
  const headers = named(performed);
  if (status >= 400) return refused(ctx, answer, { headers, others });
  if (performed.kind === 'answered') return { status: 200, headers, body: asObject(value) };
  const how = performed.kind === 'stream' ? 'with a stream' : status >= 300 ? 'with a redirect' : 'with something that is not JSON';
  throw badAnswer(`The agent answered ${how}: an endpoint answers with JSON`, details);
}

type Refused = Exclude<EndpointAnswer['status'], 200>;

/** Statuses that the route does not declare, as the nearest that it does. */
const NEAREST: Readonly<Record<number, Refused>> = { 401: 401, 402: 402, 403: 403, 404: 404, 405: 405, 409: 409, 410: 404, 422: 422, 429: 503 };

/** The agent's own refusal as every refusal of the API has it. */
function refused(
  { requestId }: Pick<Ctx, 'requestId'>,
  answer: Pick<Extract<Performed, { kind: 'stream' }>, 'status' | 'headers'> & { value: unknown },
  { headers, others }: { headers: Record<string, string>; others: readonly string[] },
): EndpointAnswer {
  const { status, value } = answer;
  const agentError = agentErrorOf(value);
  const detail = {
    code: agentError?.code ?? 'agent_refused',
    message: agentError?.message ?? 'The agent refused the call without a reason: see its logs',
    request_id: requestId,
    agent_status: status,
    ...(agentError?.issues && { issues: agentError.issues }),
  };
  const own = { ...(status === 405 && { allow: others.join(', ') }), ...(status === 429 && { 'retry-after': String(retryAfter(answer.headers)) }) };
  return { status: NEAREST[status] ?? 400, headers: { ...headers, ...own }, body: { detail } };
}

function badAnswer(message: string, details: Record<string, unknown>): PlatformFailed {
  return new PlatformFailed('endpoint_bad_answer', message, details);
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : { result: value };
}
