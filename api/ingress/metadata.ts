// What a program that knows only an agent's address learns of how to be let in (RFC 9728): where to sign in,
// and for what to ask. It is the platform's word, never the agent's.
import { AGENT_SCOPE, agentResources, isMcpPath, METADATA_PATH, protectedResource, type Installation } from '#contract/identity/resources.ts';
import { MethodNotAllowed } from '#core/kernel/errors.ts';
import { sendMetadata } from '../routes/identity/platform-resource.ts';
import type { HttpVisit, AtSite, Platform, Step } from './step.ts';

/**
 * The path of the resource that is described, the agent or its MCP endpoint: clients compare it with the
 * address that they know, to the last slash.
 */
function resourcePath(path: string): string | undefined {
  const below = path.startsWith(METADATA_PATH) ? path.slice(METADATA_PATH.length) : undefined;
  return below === '' || below === '/' || (below !== undefined && isMcpPath(below)) ? below : undefined;
}

/** Made only from the name, so that it is the same for agents that do not exist. */
export function createMetadata({ config, issuer }: Platform): Step<HttpVisit & AtSite> {
  return ({ request, response, site: { agentName }, written, path }) => {
    const described = [written, path].find((one) => resourcePath(one) !== undefined);
    if (described === undefined) return undefined;
    if (request.method !== 'GET' && request.method !== 'HEAD') throw new MethodNotAllowed('method_not_allowed', `${described} takes GET, HEAD`);
    const resource = agentResources(config, agentName).all + (resourcePath(described) ?? '');
    sendMetadata(response, JSON.stringify(protectedResource(resource, { issuer, scopes: [AGENT_SCOPE], name: agentName })), request.method);
    return 'ok';
  };
}

/** `WWW-Authenticate` of a refusal. `tried`: a token came and did not do. */
export function wwwAuthenticate(
  installation: Installation,
  { agent, path, status, tried }: { agent: string; path: string; status: number; tried: boolean },
): string {
  const { all } = agentResources(installation, agent);
  const where = `resource_metadata="${all}${METADATA_PATH}${isMcpPath(path) ? path : ''}", scope="${AGENT_SCOPE}"`;
  if (status === 403) return `Bearer error="insufficient_scope", ${where}`;
  return tried ? `Bearer error="invalid_token", ${where}` : `Bearer ${where}`;
}
