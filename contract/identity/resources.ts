// Agents as protected resources (RFC 9728): for which address a token may be (RFC 8707), and where that is
// described.

/** Facts of the installation that agents' addresses are made of. */
export interface Installation {
  baseUrl: string;
  agentsDomain: string;
}

/** What a program asks for, and a person allows it, at an agent's address. */
export const AGENT_SCOPE = 'mcp:invoke';
export const METADATA_PATH = '/.well-known/oauth-protected-resource';

/** Audiences of tokens for one agent: all of it, or only its MCP endpoint. */
export function agentResources({ baseUrl, agentsDomain }: Installation, agent: string): { all: string; mcp: string } {
  const all = `${new URL(baseUrl).protocol}//${agent}.${agentsDomain}`;
  return { all, mcp: `${all}/mcp` };
}

/** As people type it: with or without the last slash. */
export function isMcpPath(path: string): boolean {
  return path === '/mcp' || path === '/mcp/';
}

/**
 * Which agent a resource indicator names, and the audience in its one spelling; whether the agent exists is
 * not asked.
 */
export function agentOfResource(installation: Installation, resource: string): { agent: string; audience: string } | undefined {
  const url = URL.parse(resource);
  if (!url || url.search !== '' || url.hash !== '') return undefined;
  const suffix = `.${installation.agentsDomain.toLowerCase()}`;
  const agent = url.host.endsWith(suffix) ? url.host.slice(0, -suffix.length) : '';
  if (!/^[a-z0-9-]{1,63}$/.test(agent)) return undefined;
  const { all, mcp } = agentResources(installation, agent);
  // Clients put a slash behind an address, or join one to it that ends with a slash.
  url.pathname = url.pathname.replaceAll(/\/{2,}/g, '/').replace(/\/$/, '');
  // `href` has what else an address can carry, a password for instance.
  if (url.href === `${all}/`) return { agent, audience: all };
  return url.href === mcp || url.href === `${mcp}/` ? { agent, audience: mcp } : undefined;
}

export interface ProtectedResource {
  resource: string;
  authorization_servers: string[];
  scopes_supported: string[];
  bearer_methods_supported: ['header'];
  resource_name: string;
}

export function protectedResource(resource: string, { issuer, scopes, name }: { issuer: string; scopes: readonly string[]; name: string }): ProtectedResource {
  return { resource, authorization_servers: [issuer], scopes_supported: [...scopes], bearer_methods_supported: ['header'], resource_name: name };
}
