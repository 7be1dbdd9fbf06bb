// Commands whose first place is an agent: there a shell offers agents' names.
import type { Definition } from 'clipanion';

/** Their places are called NAME, as in the specification; after the agent `ssh` takes a command. */
const NAMED_OTHERWISE = ['local-cleanup', 'mcp-url', 'ssh'];

export function agentCommands(definitions: readonly Definition[]): string[] {
  return definitions.flatMap(({ path, usage }) => {
    const words = path.split(' ').slice(1).join(' ');
    const place = /[<[]([A-Z_]+)[>\]]/.exec(usage)?.[1];
    return place === 'AGENT' || NAMED_OTHERWISE.includes(words) ? [words] : [];
  });
}
