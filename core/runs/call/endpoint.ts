// A call of an agent's named endpoint: an HTTP request becomes the call of the skill that svc.yaml maps it to.
import { callsOf, type EndpointMethod, Endpoints } from '#contract/wire/endpoints.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { BadGateway, MethodNotAllowed, NotFound, PayloadTooLarge } from '../../kernel/errors.ts';
import type { AgentRoute } from '../../agents/route/resolve.ts';
import { agentErrorOf } from '../run/agent-error.ts';
import { endpointArgs } from './endpoint-args.ts';
import { callableRoute, invokeAt, type PassedStatus } from './invoke.ts';

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
  status: Exclude<PassedStatus, 202 | 413>;
  headers: Record<string, string>;
  body: Record<string, unknown>;
}

/** @throws NotFound agent_not_found, endpoint_not_found; MethodNotAllowed endpoint_method_unknown; Invalid; and as a call of the skill does */
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
  // Its success is 200 alone: the caller waits for the answer of a person too.
  const asked = { skill_name: call.skill, args, accept: 'application/json', signal: i.signal, waits: false, failures: 'bad_gateway' } as const;
  const answer = await invokeAt(ctx, route, asked).catch((error: unknown) => {
    // An endpoint has no 413: its caller sent nothing that was too large.
    throw error instanceof PayloadTooLarge ? new BadGateway('agent_bad_answer', error.message) : error;
  });
  return answer.status < 400 ? { status: 200, headers: answer.headers, body: asObject(answer.body) } : refused(ctx, answer.status, answer);
}

async function endpointsOf({ db }: Ctx, { deployId }: AgentRoute): Promise<Endpoints> {
  const row = await db('deployments').where({ deploy_id: deployId }).first<{ endpoints: unknown }>(db.raw(`manifest->'endpoints' as endpoints`));
  const read = Endpoints.safeParse(row?.endpoints);
  return read.success ? read.data : {};
}

/** The agent's own refusal as every refusal of the API has it. */
function refused({ requestId }: Ctx, status: PassedStatus, { headers, body }: { headers: Record<string, string>; body: unknown }): EndpointOut {
  const said = agentErrorOf(body);
  const detail = {
    code: said?.code ?? 'agent_refused',
    message: said?.message ?? 'The agent refused the call without a reason: see its logs',
    request_id: requestId,
    agent_status: status,
    ...(said?.issues && { issues: said.issues }),
  };
  return { status: status === 413 ? 400 : status === 403 || status === 404 || status === 409 || status === 422 ? status : 400, headers, body: { detail } };
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : { result: value };
}
