// What a shell offers for the tool's own commands: read off the commands themselves, so that it is never out
// of date.
import type { Definition } from 'clipanion';
import { JobState } from '#contract/runs/work-ledger.ts';
import { FRONTEND_AUTHS, FRONTEND_MODES } from '#contract/states.ts';
import { namesOf } from '../parser/help.ts';
import { FRONTENDS, LANGUAGES } from '../project/scaffold.ts';
import { line } from '../use/completion.ts';

/** Words that an option takes; after all others a shell offers files. */
const CHOICES: Record<string, readonly string[]> = {
  'init --language': LANGUAGES,
  'init --frontend': FRONTENDS,
  'init --frontend-mode': FRONTEND_MODES,
  'init --auth': FRONTEND_AUTHS,
  'runs --state': JobState.options,
};

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
    for (const { definition } of options) {
      const { names, takesValue } = namesOf(definition);
      if (takesValue) for (const name of names) offer(`${words.join(' ')} ${name}`, CHOICES[`${words.join(' ')} ${names[0]}`] ?? ['@files']);
    }
  }
  for (const shell of SHELLS) offer('completion', [shell]);
  return [...offered].map(([words, candidates]) => line(words, [...candidates])).join('\n');
}

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
