// How a value is written down that an agent needs of a caller.
import { pathTo } from '#contract/path-to.ts';

export type SetupValue = string | number | boolean;

/** JSON in ASCII, as a header takes it. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(/[\u007f-\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** What a value takes of the header. */
export function lengthOf(name: string, value: SetupValue): number {
  return name.length + asciiJson(value).length + 4;
}

export function setupContext(i: { agent_id: string; user_id: string; field_name: string }): string {
  return `agent/${i.agent_id}/setup/${i.user_id}/${i.field_name}`;
}

/** The page where a user sets the values that an agent needs; below the platform's own address. */
export function setupPath(agentName: string): string {
  return pathTo('PUT /v1/agents/{name}/consumer-setup', { name: agentName });
}
