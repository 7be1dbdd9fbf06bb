// The one spelling of an agent's own paths. Clients put a slash behind an address that they are given, or
// join a path to one that ends with a slash: they are served in place. The path that the ingress decides by
// is the path that the agent gets.

/**
 * First segments of what every agent serves. What only the platform may ask of an agent
 * (api/ingress/admit.ts) is not among them.
 */
const SERVED = new Set(['invoke', 'mcp', 'a2a', 'ag-ui', 'healthz', '.well-known', 'tasks', 'message:send', 'message:stream', 'v1', 'extendedAgentCard']);
/** Nothing that a server could read as another path: no escape, no segment of dots. */
const PLAIN = /^(?:\/(?:\.well-known|[A-Za-z0-9_][\w.:~-]*))+$/;

/** `/mcp/` and `//mcp` are `/mcp`; what is no path of every agent stays as it is. `url` is path and query. */
export function inOneSpelling(url: string): string {
  const query = url.indexOf('?');
  const path = query === -1 ? url : url.slice(0, query);
  if (!path.includes('//') && !path.endsWith('/')) return url;
  const one = path.replaceAll(/\/{2,}/g, '/').replace(/\/$/, '');
  if (!PLAIN.test(one) || !SERVED.has(one.split('/')[1] ?? '')) return url;
  return query === -1 ? one : one + url.slice(query);
}

/** What programs speak with an agent: skills, MCP, A2A in all its bindings, AG-UI. */
const PROTOCOL = /^\/(?:invoke\/|(?:mcp|a2a|ag-ui|v1|tasks|message:send|message:stream|extendedAgentCard)(?:\/|$|:))/;

/** Not the documents beside it, which are for everyone. */
export function isProtocolPath(path: string): boolean {
  return PROTOCOL.test(path) && !path.includes('/.well-known/');
}
