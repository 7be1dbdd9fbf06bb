/** A value opens only as the version of the secret of the agent that it was sealed for. */
export function secretContext(i: { agent_id: string; name: string; version: number }): string {
  return `agent/${i.agent_id}/secret/${i.name}/${i.version}`;
}
