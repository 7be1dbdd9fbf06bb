// A call of an agent's named endpoint: an HTTP request becomes the call of the skill that svc.yaml maps it
// to.
import { callsOf, type EndpointMethod, Endpoints } from '#contract/wire/endpoints.ts';
import { callableRoute } from '../run/callable.ts';
import type { AgentRoute } from '../../agents/route/resolve.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { MethodNotAllowed, NotFound } from '../../kernel/errors.ts';
import { endpointArgs } from './endpoint-args.ts';
import type { Performed } from './perform.ts';
import { callSkillAt } from './skill.ts';

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

export interface EndpointCalled {
  performed: Performed;
  /** The methods of the endpoint beside the one that was called. */
  others: string[];
}

/**
 * @throws NotFound agent_not_found, endpoint_not_found; MethodNotAllowed endpoint_method_unknown; Invalid;
 * and as a call of the skill does
 */
export async function callEndpoint(ctx: Ctx, i: EndpointIn): Promise<EndpointCalled> {
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
  const performed = await callSkillAt(ctx, route, { skill_name: call.skill, args, accept: 'application/json', waits: false, signal: i.signal });
  const others = callsOf(endpoint).filter((one) => one.method !== method).map((one) => one.method.toUpperCase()); // prettier-ignore
  return { performed, others };
}

async function endpointsOf({ db }: Ctx, { deployId }: AgentRoute): Promise<Endpoints> {
  const row = await db('deployments').where({ deploy_id: deployId }).first<{ endpoints: unknown }>(db.raw(`manifest->'endpoints' as endpoints`));
  const read = Endpoints.safeParse(row?.endpoints);
  return read.success ? read.data : {};
}
