// What a program that knows only an agent's address learns of how to be let in (RFC 9728): where to sign in,
// and for what to ask. It is the platform's word, never the agent's.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AGENT_SCOPE, agentResources, isMcpPath, METADATA_PATH, protectedResource, type Installation } from '#contract/identity/resources.ts';
import { MethodNotAllowed } from '#core/kernel/errors.ts';
import { sendMetadata } from '../routes/identity/platform-resource.ts';

/** The agent's, and that of its MCP endpoint. */
export function isMetadataPath(path: string): boolean {
  return resourcePath(path) !== undefined;
}

/**
 * The path of the resource that is described: clients compare it with the address that they know, to the last
 * slash.
 */
function resourcePath(path: string): string | undefined {
  const below = path.startsWith(METADATA_PATH) ? path.slice(METADATA_PATH.length) : undefined;
  return below === '' || below === '/' || (below !== undefined && isMcpPath(below)) ? below : undefined;
}

export function serveMetadata(
  { request, response }: { request: IncomingMessage; response: ServerResponse },
  of: { installation: Installation; issuer: string; agent: string; path: string },
): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') throw new MethodNotAllowed('method_not_allowed', `${of.path} takes GET, HEAD`);
  const resource = agentResources(of.installation, of.agent).all + (resourcePath(of.path) ?? '');
  const body = JSON.stringify(protectedResource(resource, { issuer: of.issuer, scopes: [AGENT_SCOPE], name: of.agent }));
  sendMetadata(response, body, request.method);
}

/** `WWW-Authenticate` of a refusal. `tried`: a token came and did not do. */
export function challenge(installation: Installation, { agent, path, status, tried }: { agent: string; path: string; status: number; tried: boolean }): string {
  const { all } = agentResources(installation, agent);
  const where = `resource_metadata="${all}${METADATA_PATH}${isMcpPath(path) ? path : ''}", scope="${AGENT_SCOPE}"`;
  if (status === 403) return `Bearer error="insufficient_scope", ${where}`;
  return tried ? `Bearer error="invalid_token", ${where}` : `Bearer ${where}`;
}
