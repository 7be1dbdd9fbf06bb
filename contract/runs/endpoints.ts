// Named HTTP endpoints of an agent: svc.yaml maps their methods to skills.
import { z } from 'zod';
import { group, passthrough } from '../kit.ts';
import { AgentParams } from '../shared.ts';
import { EndpointName } from '../wire/endpoints.ts';
import { MAX_VALUE_BYTES } from '../wire/limits.ts';
import { IntegrationTokenQuery } from '../identity/integration-links.ts';

const call = {
  description:
    'Which skill, and where each argument comes from, says `endpoints` of the agent\'s svc.yaml. The answer is the skill\'s result where that is an object, else `{"result": …}`. 405 with Allow for a method that the agent has not declared. Refusals of the agent pass with `agent_status`: 410 as 404, 429 as 503 with Retry-After, other 4xx that are not listed as 400. 502: the agent could not be reached, or answered with a 5xx of its own, which is `agent_status`; 504: it did not answer in time, and nothing is claimed. Header x-svc-receipt-id names the receipt.',
  scope: 'agent-token',
  params: AgentParams.extend({ endpoint_name: EndpointName }),
  query: z.looseObject(IntegrationTokenQuery.shape),
  bodyBytes: MAX_VALUE_BYTES,
  body: z.record(z.string(), z.unknown()).nullable().optional().meta({ description: 'Arguments by name, but for those that svc.yaml takes from elsewhere.' }),
  out: passthrough(z.record(z.string(), z.unknown())),
  errors: [400, 401, 402, 403, 404, 405, 409, 500, 502, 503, 504],
} as const;

export const agentEndpoints = group({
  postEndpoint: { at: 'POST /v1/agents/{name}/api/endpoints/{endpoint_name}', summary: 'Call an endpoint of an agent', ...call },
  patchEndpoint: { at: 'PATCH /v1/agents/{name}/api/endpoints/{endpoint_name}', summary: 'The same by PATCH', ...call },
  deleteEndpoint: { at: 'DELETE /v1/agents/{name}/api/endpoints/{endpoint_name}', summary: 'The same by DELETE', ...call },
  putEndpoint: { at: 'PUT /v1/agents/{name}/api/endpoints/{endpoint_name}', summary: 'The same by PUT', ...call },
});
