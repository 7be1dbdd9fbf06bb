// The tool's own help pages: values by name, defaults, and the --no- form of what is on by default.
import type { Definition } from 'clipanion';
import type { CliContext } from '../lib/context.ts';
import { findCommands } from './find.ts';
import { type Group, groupNamed, GROUPS, topicsOf } from './groups.ts';
import { Tool } from './tool.ts';

export type Page = Definition & { words: string; also: string[] };

/** Widest line of a page, characters; in a window that is narrower, its width. */
const WIDTH = 96;
const NARROWEST = 40;
/** Where less is left beside the names of options, what they do stands below them. */
const LEAST_TEXT = 30;
/** Placeholders of values; all others are TEXT. */
const VALUES: Record<string, string> = {
  '--project': 'PATH',
  '--out': 'PATH',
  '--dsl': 'PATH',
  '--env-file': 'PATH',
  '--workspace': 'PATH',
  '--spec-out': 'PATH',
  '--target': 'PATH',
  '--port': 'INTEGER',
  '--limit': 'INTEGER',
  '--for': 'SECONDS',
  '--tail': 'INTEGER',
  '--cert': 'PATH',
  'auth mtls --key': 'PATH',
  '--ca': 'PATH',
  '--expires-in': 'INTEGER',
  '--api': 'URL',
  '--issuer': 'URL',
  '--base-url': 'URL',
  '--budget': 'DOLLARS',
  'autopilot accept --budget': 'CENTS',
  'brain set --budget': 'CENTS',
  'challenge --budget': 'CENTS',
  'studio ideas --budget': 'CENTS',
  'studio make --budget': 'CENTS',
  'studio resolve --budget': 'CENTS',
  'studio guest --inputs': 'PATH',
  'studio make --inputs': 'PATH',
  'studio resolve --inputs': 'PATH',
  '--price-in': 'DOLLARS',
  '--price-out': 'DOLLARS',
};

/** Commands whose last argument may be repeated, other than arguments of a tool. */
const REPEATED: Record<string, string> = { 'files delete': '[PATH...]', 'files share': '[PATTERN...]', ssh: '[AGENT] [COMMAND...]' };

/** Of the command that `words` begin with, of a topic such as `receipt`, or of the whole tool. */
export function helpPage(cli: Tool, context: CliContext, words: readonly string[]): string {
  const width = widthOf(context);
  if (words.length === 0) return firstPage(width);
  const pages = pagesOf(cli);
  if (isTopic(cli, words[0]) && words.length === 1) return listed(`Usage: svc ${words[0]} COMMAND [OPTIONS]`, below(pages, words[0]), width);
  // The one of most words: `policy rules pull` begins as `policy rules get` does.
  const begun = pages.flatMap((page) => [page.words, ...page.also].map((path) => ({ page, path: path.split(' ') })));
  const fitting = begun.filter(({ path }) => path.every((word, i) => word === words[i]));
  const page = fitting.toSorted((a, b) => b.path.length - a.path.length)[0]?.page;
  if (!page) return firstPage(width);
  const more = below(pages, page.words);
  return `${detailed(cli, context, page, width)}${more.length === 0 ? '' : `\nMore of it:\n${rowsOf(more, width)}\n`}`;
}

/** Of a group such as `ship`, or of what a word finds; undefined: nothing. `cli`: with all commands. */
export function matchesPage(cli: Tool, context: CliContext, words: readonly string[]): string | undefined {
  const [pages, width] = [pagesOf(cli), widthOf(context)];
  const group = words.length === 1 ? groupNamed(words[0]) : undefined;
  if (group) return listed(`${group.title}:`, inGroup(pages, group), width);
  const matches = findCommands(pages, words);
  return matches.length === 0 ? undefined : listed(`Commands for "${words.join(' ')}":`, matches, width);
}

/** Whether commands begin with that word, though no command is shown by it. */
export function isTopic(cli: Tool, word: string | undefined): boolean {
  const pages = pagesOf(cli);
  return pages.some(({ words }) => words.startsWith(`${word} `)) && !pages.some(({ words }) => words === word);
}

function below(pages: readonly Page[], word = ''): Page[] {
  return pages.filter(({ words }) => words.startsWith(`${word} `));
}

function inGroup(pages: readonly Page[], group: Group): Page[] {
  return topicsOf(group).flatMap((topic) => pages.filter(({ words }) => words.split(' ')[0] === topic));
}

/** In the order in which a newcomer meets them. */
export function pagesOf(cli: Tool): Page[] {
  const definitions = cli.definitions();
  return cli.commands.flatMap(({ paths = [] }) => {
    const [words = '', ...also] = paths.map((path) => path.join(' '));
    const definition = definitions.find(({ path }) => path === `svc ${words}`);
    return definition ? [{ ...definition, words, also }] : [];
  });
}

/** The line that says what a command takes. */
export function usageLine(cli: Tool, words: string): string {
  const page = pagesOf(cli).find((one) => [one.words, ...one.also].includes(words));
  return page ? usageOf(page, words) : '';
}

export function usageOf({ usage }: Page, words: string): string {
  const places = (usage.match(/[<[][A-Z_]+[\]>]|\.\.\.$/g) ?? []).map((place) =>
    place === '...' ? (REPEATED[words] ?? '[KEY=VALUE...]') : place.replace(/^<(.*)>$/, '$1'),
  );
  return `Usage: svc ${[words, '[OPTIONS]', ...places].join(' ')}`;
}

function widthOf({ stdout }: CliContext): number {
  const columns = 'columns' in stdout && typeof stdout.columns === 'number' ? stdout.columns : WIDTH;
  return Math.min(WIDTH, Math.max(NARROWEST, columns));
}

/** On one screen: the most used commands of each group. */
function firstPage(total: number): string {
  const width = Math.max(...GROUPS.flatMap(({ shown }) => Object.keys(shown)).map((word) => word.length));
  const rows = GROUPS.flatMap(({ name, shown }) =>
    Object.entries(shown).map(([word, text], i) => beside(`${(i === 0 ? name : '').padEnd(8)} ${word}`, text, width + 9, total)),
  );
  const more = [
    ['svc help GROUP', `all commands of one of ${GROUPS.length} groups: svc help ship`],
    ['svc help WORD', 'find commands: svc help invite'],
    ['svc COMMAND --help', 'what a command does and takes'],
  ].map(([line = '', text = '']) => beside(line, text, 18, total));
  const last = wrap('Results go to standard output, all else to standard error.', 0, total);
  return `Usage: svc COMMAND [OPTIONS]\n\n${rows.join('\n')}\n\n${more.join('\n')}\n\n${last}\n`;
}

function listed(head: string, pages: readonly Page[], total: number): string {
  return `${head}\n\n${rowsOf(pages, total)}\n\n${wrap('More on one of them: svc COMMAND --help', 0, total)}\n`;
}

function rowsOf(pages: readonly Page[], total: number): string {
  const width = Math.max(...pages.map(({ words }) => words.length));
  return pages.map(({ words, description = '' }) => beside(words, description.trim(), width, total)).join('\n');
}

/** Two columns, or one below the other where the second would be too narrow. */
function beside(names: string, text: string, width: number, total: number): string {
  if (total - width - 4 < LEAST_TEXT) return `  ${names.trim()}\n      ${wrap(text, 6, total)}`;
  return `  ${names.padEnd(width)}  ${wrap(text, width + 4, total)}`;
}

/** Each option: its names with what it takes, and what it does. */
export function optionRows(cli: Tool, context: CliContext, page: Page): { names: string; text: string }[] {
  const defaults = defaultsOf(cli, context, page);
  return page.options.map(({ definition, description = '', required }) => {
    const { long, short, takesValue } = namesOf(definition);
    const value = takesValue ? ` ${VALUES[`${page.words} ${long}`] ?? VALUES[long] ?? 'TEXT'}` : '';
    const standard = defaults[camel(long)];
    const negated = !takesValue && standard === true ? `, --no-${long.slice(2)}` : '';
    const none = standard === undefined || (Array.isArray(standard) && standard.length === 0);
    const note = required ? ' (required)' : !takesValue || none ? negated && ' (on by default)' : ` (default: ${String(standard)})`;
    return { names: `${short === undefined ? '' : `${short}, `}${long}${negated}${value}`, text: `${description}${note}` };
  });
}

function detailed(cli: Tool, context: CliContext, page: Page, total: number): string {
  const rows = optionRows(cli, context, page).map(({ names, text }) => ({ names: names.startsWith('--') ? `    ${names}` : names, text }));
  const width = Math.max(0, ...rows.map(({ names }) => names.length));
  const paragraphs = [
    usageOf(page, page.words),
    wrap(sentence(page.description ?? ''), 0, total),
    page.details === undefined ? '' : wrap(page.details.trim(), 0, total),
    rows.length === 0 ? '' : `Options:\n${rows.map(({ names, text }) => beside(names, text, width, total)).join('\n')}`,
    ...(page.examples ?? []).map(([title, command]) => `${title.trim().replace(/:$/, '')}:\n  ${command.trim()}`),
  ];
  return `${paragraphs.filter(Boolean).join('\n\n')}\n`;
}

/** Defaults of the options, by property: read from a command that is parsed with the fewest arguments. */
function defaultsOf(tool: Tool, context: CliContext, { words, options, usage }: Page): Record<string, unknown> {
  const [topic] = words.split(' ');
  const cli = new Tool(
    tool.commands.filter(({ paths }) => paths?.some(([first]) => first === topic)),
    false,
  );
  const least = (usage.match(/ <[A-Z_]+>/g) ?? []).map(() => 'x');
  const required = options.flatMap(({ definition, required: must }) => (must ? [namesOf(definition).long, 'x'] : []));
  for (const places of [least, [], ['x'], ['x', 'x']]) {
    try {
      return Object.fromEntries(Object.entries(cli.process([...words.split(' '), ...places, ...required], context)));
    } catch {
      // It takes more places than these.
    }
  }
  return {};
}

/** Of the library's notation, e.g. `--project,-p #0`. */
export function namesOf(definition: string): { long: string; short: string | undefined; names: string[]; takesValue: boolean } {
  const [list = '', value] = definition.split(' ');
  const names = list.split(',');
  const long = names.find((name) => name.startsWith('--')) ?? list;
  return { long, short: names.find((name) => !name.startsWith('--')), names, takesValue: value !== undefined };
}

function camel(name: string): string {
  return name.replace(/^--/, '').replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

export function sentence(text: string): string {
  const trimmed = text.trim();
  return `${trimmed.charAt(0).toUpperCase()}${trimmed.slice(1)}${trimmed.endsWith('.') ? '' : '.'}`;
}

/** Breaks between words; every line but the first is indented. */
function wrap(text: string, indent: number, total: number): string {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= total - indent) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join(`\n${' '.repeat(indent)}`);
}
