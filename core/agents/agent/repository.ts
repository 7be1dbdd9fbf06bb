// Where an agent's repository is: for source hosting, and for people.
import type { PlatformConfig } from '../../kernel/ctx.ts';

/** A name stays its owner's for ever, so this is stable for the agent. */
export function sourceRepository(ownerId: string, agentName: string): string {
  return `${ownerId}/${agentName}`;
}

/** What git clones. */
export function cloneUrl({ baseUrl }: Pick<PlatformConfig, 'baseUrl'>, agentName: string): string {
  return `${baseUrl}/git/${agentName}.git`;
}
