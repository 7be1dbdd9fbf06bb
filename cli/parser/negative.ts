// A number below zero is a value, not an option: `svc answer ID -1`, `--limit -1`.
import type { Definition } from 'clipanion';
import { namesOf } from './help.ts';

const NEGATIVE = /^-\.?\d/;

/** The same command line, as the library reads such values: those of options by =, all others after --. */
export function withNegatives(options: Definition['options'], argv: readonly string[], command: readonly string[]): string[] {
  const end = argv.indexOf('--');
  const [words, last] = end < 0 ? [argv, []] : [argv.slice(0, end), argv.slice(end + 1)];
  if (!words.some((word) => NEGATIVE.test(word))) return [...argv];
  const takers = new Set(options.map(({ definition }) => namesOf(definition)).flatMap(({ names, takesValue }) => (takesValue ? names : [])));
  const [given, places] = [new Array<string>(), new Array<string>()];
  const rest = words.slice(command.length);
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (!word.startsWith('-') || word === '-' || NEGATIVE.test(word)) places.push(word);
    else if (!takers.has(word) || rest[0] === undefined) given.push(word);
    else if (NEGATIVE.test(rest[0])) given.push(`${longOf(options, word)}=${rest.shift() ?? ''}`);
    else given.push(word, rest.shift() ?? '');
  }
  return [...command, ...given, '--', ...places, ...last];
}

/** `-n=1` is not understood where `--limit=1` is. */
function longOf(options: Definition['options'], name: string): string {
  const option = options.map(({ definition }) => namesOf(definition)).find(({ names }) => names.includes(name));
  return option?.long ?? name;
}
