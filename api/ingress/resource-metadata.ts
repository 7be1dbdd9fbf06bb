// What a program that knows only an agent's address learns of how to be let in (RFC 9728): where to sign in, and for what to ask. It is the
// platform's word, never the agent's.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AGENT_SCOPE, agentResources, METADATA_PATH, protectedResource, type Installation } from '#contract/identity/resources.ts';
import { MethodNotAllowed } from '#core/kernel/errors.ts';
import { sendMetadata } from '../routes/identity/platform-resource.ts';

/** The agent's, and that of its MCP endpoint. */
export function isMetadataPath(path: string): boolean {
  return path === METADATA_PATH || path === `${METADATA_PATH}/mcp`;
}

export function serveMetadata(
  { request, response }: { request: IncomingMessage; response: ServerResponse },
  of: { installation: Installation; issuer: string; agent: string; path: string },
): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') throw new MethodNotAllowed('method_not_allowed', `${of.path} takes GET, HEAD`);
  const { all, mcp } = agentResources(of.installation, of.agent);
  const resource = of.path === METADATA_PATH ? all : mcp;
  const body = JSON.stringify(protectedResource(resource, { issuer: of.issuer, scopes: [AGENT_SCOPE], name: of.agent }));
  sendMetadata(response, body, request.method);
}

/** `WWW-Authenticate` of a refusal. `tried`: a token came and did not do. */
export function challenge(installation: Installation, { agent, path, status, tried }: { agent: string; path: string; status: number; tried: boolean }): string {
  const { all } = agentResources(installation, agent);
  const where = `resource_metadata="${all}${METADATA_PATH}${path === '/mcp' ? '/mcp' : ''}", scope="${AGENT_SCOPE}"`;
  if (status === 403) return `Bearer error="insufficient_scope", ${where}`;
  return tried ? `Bearer error="invalid_token", ${where}` : `Bearer ${where}`;
}
