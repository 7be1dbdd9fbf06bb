// Which agent a host name means: `<agent>.localhost` and `<agent>.<agents domain>`, with or without a port.

/** Returns the agent's name, or undefined for the platform's own hosts and all others. */
export function agentOfHost(agentsDomain: string): (host: string | undefined) => string | undefined {
  const suffixes = [...new Set(['localhost', bare(agentsDomain)])].map((domain) => `.${domain}`);
  const seen = new Map<string, string | undefined>();
  return (host) => {
    if (host === undefined) return undefined;
    if (seen.has(host)) return seen.get(host);
    const name = bare(host);
    const suffix = suffixes.find((one) => name.endsWith(one));
    const label = suffix && name.slice(0, -suffix.length);
    const agent = label && /^[a-z0-9-]{1,63}$/.test(label) ? label : undefined;
    // Hosts come from outside: what is remembered is bounded.
    if (seen.size >= 10_000) seen.clear();
    seen.set(host, agent);
    return agent;
  };
}

function bare(host: string): string {
  return host.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '');
}
