// A call of an agent's named endpoint: an HTTP request becomes the call of the skill that svc.yaml maps it
// to.
import { HEADER } from '#contract/wire/headers.ts';
import { callsOf, type EndpointMethod, Endpoints } from '#contract/wire/endpoints.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { MethodNotAllowed, NotFound, PayloadTooLarge, PlatformFailed } from '../../kernel/errors.ts';
import type { AgentRoute } from '../../agents/route/resolve.ts';
import { agentErrorOf } from '../run/agent-error.ts';
import { endpointArgs } from './endpoint-args.ts';
import { tooLarge } from '../run/too-large.ts';
import { agentFailed, type SkillResponse, askSkill, bounded, callableRoute, isSuccess } from './invoke.ts';

export interface EndpointIn {
  name: string;
  endpoint_name: string;
  method: EndpointMethod;
  query: Record<string, unknown>;
  body: Record<string, unknown> | null | undefined;
  header(name: string): string | undefined;
  /** Aborted when the caller goes away: the skill is cancelled. */
  signal: AbortSignal;
}

export interface EndpointOut {
  status: 200 | 400 | 401 | 402 | 403 | 404 | 405 | 409 | 422 | 503;
  headers: Record<string, string>;
  body: Record<string, unknown>;
}

/**
 * @throws NotFound agent_not_found, endpoint_not_found; MethodNotAllowed endpoint_method_unknown; Invalid;
 * and as a call of the skill does
 */
export async function callEndpoint(ctx: Ctx, i: EndpointIn): Promise<EndpointOut> {
  const route = await callableRoute(ctx, i.name);
  const endpoints = await endpointsOf(ctx, route);
  const endpoint = Object.hasOwn(endpoints, i.endpoint_name) ? endpoints[i.endpoint_name] : undefined;
  if (!endpoint) throw new NotFound('endpoint_not_found', `${i.name} has no endpoint ${i.endpoint_name}: its endpoints are in its OpenAPI document`);
  const call = endpoint[i.method];
  if (!call) {
    const allow = callsOf(endpoint).map(({ method }) => method.toUpperCase());
    throw new MethodNotAllowed('endpoint_method_unknown', `${i.endpoint_name} of ${i.name} takes ${allow.join(', ')}`, { allow });
  }
  const { name, endpoint_name, method, query, body, header } = i;
  const schema = route.card?.skills.find(({ id }) => id === call.skill)?.input_schema ?? {};
  const args = endpointArgs(call, { method, path: { name, endpoint_name }, query, body: body ?? {}, header: (one) => header(one) }, schema);
  // Its success is always 200: the caller waits for the answer of a person too.
  const request = { skill_name: call.skill, args, accept: 'application/json', signal: i.signal, waits: false } as const;
  const answer = await askSkill(ctx, route, request).catch((error: unknown) => {
    // An endpoint has no 413: its caller sent nothing that was too large.
    throw error instanceof PayloadTooLarge ? new PlatformFailed('endpoint_bad_answer', error.message, error.details) : error;
  });
  const others = callsOf(endpoint).filter((one) => one.method !== method).map((one) => one.method.toUpperCase()); // prettier-ignore
  return answerOf(ctx, answer, others);
}

async function endpointsOf({ db }: Ctx, { deployId }: AgentRoute): Promise<Endpoints> {
  const row = await db('deployments').where({ deploy_id: deployId }).first<{ endpoints: unknown }>(db.raw(`manifest->'endpoints' as endpoints`));
  const read = Endpoints.safeParse(row?.endpoints);
  return read.success ? read.data : {};
}

/**
 * `others`: the methods of the endpoint beside the one that was called. @throws AgentFailed for its 5xx;
 * PlatformFailed endpoint_bad_answer
 */
function answerOf(ctx: Ctx, answer: SkillResponse, others: readonly string[]): EndpointOut {
  const { status, headers, body } = answer;
  if (body.kind === 'stream') body.stream.destroy();
  if (status >= 500) throw agentFailed(502, status, { value: undefined, receiptId: headers[HEADER.receiptId] ?? '', ...body }, undefined);
  if (body.kind === 'json' && agentErrorOf(body.value)?.code === 'answer_too_large')
    throw new PlatformFailed('endpoint_bad_answer', tooLarge(), { agent_status: status, receipt_id: body.receiptId });
  if (status >= 400) return refused(ctx, answer, others);
  if (body.kind === 'json' && isSuccess(status)) return { status: 200, headers, body: asObject(body.value) };
  const how = body.kind === 'stream' ? 'with a stream' : status >= 300 ? 'with a redirect' : 'with something that is not JSON';
  const receipt = 'receiptId' in body ? { receipt_id: body.receiptId } : {};
  throw new PlatformFailed('endpoint_bad_answer', `The agent answered ${how}: an endpoint answers with JSON`, { agent_status: status, ...receipt });
}

type Refused = Exclude<EndpointOut['status'], 200>;

/** Statuses that the route does not declare, as the nearest that it does. */
const NEAREST: Readonly<Record<number, Refused>> = { 401: 401, 402: 402, 403: 403, 404: 404, 405: 405, 409: 409, 410: 404, 422: 422, 429: 503 };

/** The agent's own refusal as every refusal of the API has it. */
function refused({ requestId }: Ctx, { status, headers, body, retryAfter }: SkillResponse, others: readonly string[]): EndpointOut {
  const agentError = body.kind === 'json' ? agentErrorOf(body.value) : undefined;
  const detail = {
    code: agentError?.code ?? 'agent_refused',
    message: agentError?.message ?? 'The agent refused the call without a reason: see its logs',
    request_id: requestId,
    agent_status: status,
    ...(agentError?.issues && { issues: agentError.issues }),
  };
  const own = {
    ...(status === 405 && { allow: others.join(', ') }),
    ...(status === 429 && { 'retry-after': String(bounded(Number(retryAfter))) }),
  };
  return { status: NEAREST[status] ?? 400, headers: { ...headers, ...own }, body: { detail } };
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : { result: value };
}
