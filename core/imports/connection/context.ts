/** Binds sealed credentials to their agent, scheme and version: they open as no other. */
export function connectionContext(i: { agent_id: string; scheme_name: string; version: number }): string {
  return `agent/${i.agent_id}/connection/${i.scheme_name}/${i.version}`;
}
