// Messages for unknown commands and options, with the closest ones that exist.
import type { Cli, Definition } from 'clipanion';
import type { CliContext } from './context.ts';
import { namesOf, usageLine } from './help.ts';
import { closest, didYouMean } from './suggest.ts';

/** Words that are no command. `known`: paths of commands, and agents in use. */
export function unknownCommand(words: readonly string[], known: readonly string[][]): string {
  const [first = '', second] = words;
  const within = known.filter(([topic, verb]) => topic === first && verb !== undefined).map((path) => path[1] ?? '');
  if (within.length > 0 && second !== undefined) {
    const near = closest(second, within);
    return `"svc ${first}" has no command "${second}".${near === undefined ? ` It has: ${within.join(', ')}.` : ` Did you mean: svc ${first} ${near}?`}\nSee: svc ${first} --help`;
  }
  const tops = [...new Set(known.map(([word = '']) => word))];
  const meant =
    closest(
      words.slice(0, 2).join(' '),
      known.map((path) => path.join(' ')),
    ) ?? closest(first, tops);
  return `There is no command "${words.slice(0, 2).join(' ')}".${meant === undefined ? '' : ` Did you mean: svc ${meant}?`}\nAll commands: svc --help`;
}

/** What is wrong with the options or places of a command that there is, without the library's listing of every option. */
export function wrongLine(cli: Cli<CliContext>, error: unknown, command: string, argv: readonly string[]): string {
  const options = cli.definitions().find(({ path }) => path === `svc ${command}`)?.options ?? [];
  const unknown = unknownOption(options, argv);
  if (unknown !== undefined) return unknown;
  const missing = options.filter(({ required, definition }) => required && !argv.some((word) => namesOf(definition).names.includes(word.replace(/=.*/, ''))));
  const bare = withoutValue(options, argv);
  if (bare !== undefined) return `${bare} needs a value.`;
  if (missing.length > 0) return `${missing.map(({ definition }) => namesOf(definition).long).join(', ')} is required.`;
  const text = error instanceof Error ? error.message : String(error);
  if (/positional|^Command not found/.test(text)) {
    const surplus = /argument \(("[^"]*")\)/.exec(text)?.[1];
    const what = text.startsWith('Not enough')
      ? 'An argument is missing'
      : `svc ${command} takes no further argument${surplus === undefined ? '' : `: ${surplus}`}`;
    return `${what}. ${usageLine(cli, command)}`;
  }
  return text.replaceAll('$ ', '').trim().split('\n')[0] ?? '';
}

function unknownOption(options: Definition['options'], argv: readonly string[]): string | undefined {
  const known = options.flatMap(({ definition }) => {
    const { names, takesValue } = namesOf(definition);
    return takesValue ? names : [...names, ...names.filter((name) => name.startsWith('--')).map((name) => `--no-${name.slice(2)}`)];
  });
  const end = argv.indexOf('--');
  const given = (end < 0 ? argv : argv.slice(0, end)).filter((word) => /^--?[a-z]/i.test(word)).map((word) => word.replace(/=.*/, ''));
  const unknown = given.find((word) => !known.includes(word) && !isBundle(word, known));
  return unknown === undefined ? undefined : `There is no option ${unknown} here.${didYouMean(unknown, known)}`;
}

/** Another option, or nothing, follows an option that takes a value; "-" is a value: standard input. */
function withoutValue(options: Definition['options'], argv: readonly string[]): string | undefined {
  const takers = options.map(({ definition }) => namesOf(definition)).flatMap(({ names, takesValue }) => (takesValue ? names : []));
  return argv.find((word, at) => takers.includes(word) && /^-./.test(argv[at + 1] ?? '--'));
}

/** `-fn`: several short options in one word. */
function isBundle(word: string, known: readonly string[]): boolean {
  return (
    /^-[a-z]{2,}$/i.test(word) &&
    word
      .slice(1)
      .split('')
      .every((letter) => known.includes(`-${letter}`))
  );
}
