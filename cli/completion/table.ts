// What a shell offers for the tool's own commands: read off the commands themselves, so that it is never out of date.
import type { Definition } from 'clipanion';
import { namesOf } from '../help.ts';
import { line } from '../use/completion.ts';

/** Lines `words so far|candidates`. */
export function ownTable(definitions: readonly Definition[]): string {
  const offered = new Map<string, Set<string>>();
  const offer = (words: string, candidates: readonly string[]): void => {
    const known = offered.get(words) ?? new Set();
    for (const candidate of candidates) known.add(candidate);
    offered.set(words, known);
  };
  for (const { path, options } of definitions) {
    const words = path.split(' ').slice(1);
    words.forEach((word, i) => offer(words.slice(0, i).join(' '), [word]));
    offer(
      words.join(' '),
      options.flatMap(({ definition }) => namesOf(definition).names.filter((name) => name.startsWith('--'))),
    );
    offer(words.join(' '), ['--help']);
  }
  for (const shell of SHELLS) offer('completion', [shell]);
  return [...offered].map(([words, candidates]) => line(words, [...candidates])).join('\n');
}

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
