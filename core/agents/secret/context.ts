/** Binds a sealed value to its agent, name and version: it opens as no other. */
export function secretContext(i: { agent_id: string; name: string; version: number }): string {
  return `agent/${i.agent_id}/secret/${i.name}/${i.version}`;
}
