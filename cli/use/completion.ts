// What a shell offers for the agents in use, as lines `words so far|candidates`.
import { shown } from '../ask/field.ts';
import { CALL_OPTIONS, flagsOf } from './flags.ts';
import type { Stub } from './stubs.ts';

/** `known`: agents that were listed; `commands`: those that take an agent first. */
export function completionOf(stubs: readonly Stub[], known: readonly string[], commands: readonly string[]): string {
  const names = stubs.map(({ agent }) => agent);
  const all = [...new Set([...names, ...known])];
  const lines = [line('', names), ...commands.map((words) => line(words, words === 'unuse' ? names : all))];
  for (const { agent, card } of stubs) {
    const tools = card.skills.map(({ id }) => id);
    lines.push(line(agent, tools), line(`call ${agent}`, tools));
    for (const skill of card.skills) {
      const flags = flagsOf(skill);
      lines.push(
        line(`${agent} ${skill.id}`, [...flags.map(({ name }) => name), ...Object.keys(CALL_OPTIONS), '--help']),
        line(
          `call ${agent} ${skill.id}`,
          flags.map(({ field }) => `${field.name}=`),
        ),
        ...flags.flatMap(({ name, field }) => (field.choices ? [line(`${agent} ${skill.id} ${name}`, field.choices.map(shown))] : [])),
      );
    }
  }
  return `${lines.join('\n')}\n`;
}

/** Words a shell would take apart, or take for something else, are left out: a card is not to be trusted. */
export function line(words: string, candidates: readonly string[]): string {
  return `${words}|${candidates.filter((candidate) => /^[A-Za-z0-9._:=@%+/-]{1,64}$/.test(candidate)).join(' ')}`;
}
