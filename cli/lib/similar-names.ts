// Suggests a similar name where an agent or a skill does not exist.
import { ApiError } from '#contract/client.ts';
import type { Api } from './api.ts';
import { ApiCommand } from './api-command.ts';
import { didYouMean } from '#contract/wire/nearest.ts';

/** Milliseconds to wait for a suggestion. */
const PATIENCE_MS = 3_000;

/**
 * What to append to the message of a failed command; empty without a similar name or an answer of the API.
 */
export async function nameHint(error: unknown, command: object): Promise<string> {
  if (!(error instanceof ApiError) || !(command instanceof ApiCommand)) return '';
  const [agent, tool] = [wordOf(command, 'agent') ?? wordOf(command, 'name'), wordOf(command, 'tool')];
  const client = command.suggestions(AbortSignal.timeout(PATIENCE_MS));
  try {
    if (error.code === 'agent_not_found' && agent !== undefined) return ownLine(didYouMean(agent, await agentNames(client)));
    if (error.code === 'skill_not_found' && agent !== undefined && tool !== undefined) return ownLine(didYouMean(tool, await skillIds(client, agent)));
  } catch {
    // The refusal itself is what counts.
  }
  return '';
}

async function agentNames(client: Api): Promise<string[]> {
  return (await client.agents.list({ query: { limit: 1000 } })).map(({ name }) => name);
}

async function skillIds(client: Api, name: string): Promise<string[]> {
  const { card } = await client.agents.get({ params: { name } });
  return (card?.skills ?? []).map(({ id }) => id);
}

function wordOf(command: object, property: string): string | undefined {
  const value: unknown = Reflect.get(command, property);
  return typeof value === 'string' ? value : undefined;
}

function ownLine(sentence: string): string {
  return sentence === '' ? '' : `\n${sentence.trim()}`;
}
