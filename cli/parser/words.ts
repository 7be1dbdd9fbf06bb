// Messages for unknown commands and options, with the closest ones that exist.
import type { Definition } from 'clipanion';
import { ownWord } from './find.ts';
import { namesOf, usageLine } from './help.ts';
import { shellQuoted } from '../lib/shell-quoted.ts';
import { closest, didYouMean } from '#contract/wire/nearest.ts';
import type { Tool } from './tool.ts';

/** Words that are no command. `known`: paths of commands, and agents in use. */
export function unknownCommand(words: readonly string[], known: readonly string[][]): string {
  const [first = '', second] = words;
  const within = known.filter(([topic, verb]) => topic === first && verb !== undefined).map((path) => path[1] ?? '');
  if (within.length > 0 && second !== undefined) {
    const own = ownWord(second);
    const near = own !== undefined && within.includes(own) ? own : closest(second, within);
    return `"svc ${first}" has no command "${second}".${near === undefined ? ` It has: ${within.join(', ')}.` : ` Did you mean: svc ${first} ${near}?`}\nSee: svc ${first} --help`;
  }
  return `There is no command "${words.slice(0, 2).join(' ')}".${meantBy(words, known)}\nFind one: svc help ${first}   All groups: svc --help`;
}

/** ` Did you mean: svc x?`, or nothing. */
export function meantBy(words: readonly string[], known: readonly string[][]): string {
  const [first = ''] = words;
  const tops = [...new Set(known.map(([word = '']) => word))];
  const own = ownWord(first);
  const meant =
    (own !== undefined && tops.includes(own) ? own : undefined) ??
    closest(
      words.slice(0, 2).join(' '),
      known.map((path) => path.join(' ')),
    ) ??
    closest(first, tops);
  return meant === undefined ? '' : ` Did you mean: svc ${meant}?`;
}

/**
 * What is wrong with the options or places of a command that there is, without the library's listing of every
 * option.
 */
export function wrongLine(cli: Tool, error: unknown, command: string, argv: readonly string[]): string {
  const options = cli.definitions().find(({ path }) => path === `svc ${command}`)?.options ?? [];
  const bare = withoutValue(options, argv);
  if (bare !== undefined && isNoOption(options, argv[argv.indexOf(bare) + 1])) return `${bare} needs a value. One that begins with - is written ${bare}=VALUE.`;
  const unknown = unknownOption(options, argv) ?? valueLikeOption(command, argv);
  if (unknown !== undefined) return unknown;
  const missing = options.filter(({ required, definition }) => required && !argv.some((word) => namesOf(definition).names.includes(word.replace(/=.*/, ''))));
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
  const given = split(argv)[0]
    .filter((word) => /^--?[a-z]/i.test(word))
    .map((word) => word.replace(/=.*/, ''));
  const unknown = given.find((word) => !known.includes(word) && !isBundle(word, known));
  if (unknown === undefined) return undefined;
  const near = didYouMean(unknown, known);
  return `There is no option ${unknown} here.${near === '' ? ' A value that begins with - stands after --.' : near}`;
}

/**
 * A number below zero, or another word that is no name of an option: the command's own options go before
 * `--`, values after it.
 */
function valueLikeOption(command: string, argv: readonly string[]): string | undefined {
  const [words] = split(argv);
  const at = words.findIndex((word) => /^-[^a-z-]/i.test(word));
  if (at < 0 || words.length < argv.length) return undefined;
  const first = command.split(' ').length;
  const line = [...words.slice(first, at), '--', ...words.slice(at)].map(shellQuoted).join(' ');
  return `${words[at]} begins with -, so it is read as an option. Values stand after --: svc ${command} ${line}`;
}

/** Before `--`, and after it. */
function split(argv: readonly string[]): [readonly string[], readonly string[]] {
  const end = argv.indexOf('--');
  return end < 0 ? [argv, []] : [argv.slice(0, end), argv.slice(end + 1)];
}

/** It begins as a short option does, and is none of them. */
function isNoOption(options: Definition['options'], word: string | undefined): boolean {
  return word !== undefined && /^-[^-]/.test(word) && !options.some(({ definition }) => namesOf(definition).names.includes(word));
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
