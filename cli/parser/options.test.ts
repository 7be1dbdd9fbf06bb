// The tool takes what document 3 says: each command, place, option, type and default, read off its own
// definitions.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MISSING_COMMANDS, TOOL_OPTIONS } from '#test/spec/tool-options.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { namesOf, usageLine } from './help.ts';
import { makeTool, type Tool } from '../test/tool.ts';
import { pathsOf, toolOf } from './tool.ts';

const cli = await toolOf(false);
const definitions = cli.definitions();
const paths = new Set(pathsOf(cli.commands).map((path) => path.join(' ')));

let tool: Tool;
beforeAll(async () => {
  tool = await makeTool('http://localhost:1', '/nowhere');
});
afterAll(() => tool.remove());

/** What a line of the table says. */
interface Wanted {
  /** All spellings of one option, or both flags of a pair. */
  names: string[];
  pair: boolean;
  type: string | undefined;
  required: boolean;
  standard: string | undefined;
}

function wantedOf(line: string): Wanted {
  const [head = '', standard] = line.split(' = ');
  const [names = '', type] = head.split(' ');
  const pair = names.includes('/');
  return { names: names.split(pair ? '/' : ','), pair, type: type?.replace('!', ''), required: type?.endsWith('!') === true, standard };
}

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** The option's row of the help page, its continued lines joined. */
function rowOf(page: string, name: string): string | undefined {
  const rows = page.split('\n').reduce<string[]>((all, line) => {
    if (/^ {2}(?:-\w, | {4})--/.test(line)) all.push(line);
    else if (/^ {8,}\S/.test(line) && all.length > 0) all[all.length - 1] += ` ${line.trim()}`;
    return all;
  }, []);
  return rows.find((row) => new RegExp(`(?:^|[ ,])${escape(name)}(?:[ ,]|$)`).test(row.split(/(?<=\S) {2,}/)[0] ?? ''));
}

/** What the command is not as the table has it. */
async function faultsOf(words: string, { places = '', options = [] }: (typeof TOOL_OPTIONS)[string]): Promise<string[]> {
  const faults: string[] = [];
  const { code, out: page } = await tool.run([...words.split(' '), '--help']);
  if (code !== EXIT.ok) return ['has no help page'];
  const usage = `Usage: svc ${words} [OPTIONS]${places === '' ? '' : ` ${places}`}`;
  // A command may take more than the table says, after it or in its place where the table has none.
  if (!usageLine(cli, words).startsWith(usage)) faults.push(`is used as "${usageLine(cli, words)}", not "${usage}"`);
  const own = definitions.find(({ path }) => path === `svc ${words}`)?.options ?? [];
  for (const wanted of options.map(wantedOf)) faults.push(...optionFaults(wanted, own, page));
  return faults;
}

function optionFaults(wanted: Wanted, own: (typeof definitions)[number]['options'], page: string): string[] {
  const [first = '', second = ''] = wanted.names;
  const found = own.find(({ definition }) => namesOf(definition).names.includes(first));
  if (wanted.type === 'HIDDEN') return found ? [`${first} stands on the help page`] : [];
  if (!found) return [`lacks ${first}`];
  const { names, takesValue } = namesOf(found.definition);
  const row = rowOf(page, first);
  if (row === undefined) return [`${first} is not on the help page`];
  if (wanted.pair) return pairFaults(wanted, own, page);
  const faults = wanted.names.filter((name) => !names.includes(name)).map((name) => `${first} is not also ${name}`);
  if (takesValue !== (wanted.type !== undefined)) return [...faults, `${first} ${takesValue ? 'takes' : 'has no'} value`];
  if (wanted.required !== (found.required === true)) faults.push(`${first} is ${wanted.required ? 'not ' : ''}required`);
  // URL, EMAIL and the like are text with a name.
  const type = / (PATH|INTEGER)\b/.exec(row)?.[1] ?? (takesValue ? 'TEXT' : undefined);
  if (type !== wanted.type) faults.push(`${first} takes ${type}, not ${wanted.type}`);
  const shown = wanted.standard?.startsWith('{') ? wanted.standard.slice(1, -1) : wanted.standard;
  if (shown === 'off' ? row.includes('on by default') : shown !== undefined && !new RegExp(`default:? ${escape(shown)}`).test(row))
    faults.push(`${first} does not say its default, ${shown}: ${row.trim()}`);
  if (second !== '' && !row.includes(second)) faults.push(`${first} does not show ${second}`);
  return faults;
}

/** `--no-x` is understood wherever `--x` is; another word is a flag of its own. */
function pairFaults({ names, standard }: Wanted, own: (typeof definitions)[number]['options'], page: string): string[] {
  const [yes = '', no = ''] = names;
  const row = rowOf(page, yes) ?? '';
  const faults: string[] = [];
  if (no !== `--no-${yes.slice(2)}` && !own.some(({ definition }) => namesOf(definition).names.includes(no))) faults.push(`${yes} has no ${no}`);
  if ((standard === yes) !== row.includes('on by default')) faults.push(`${yes} is ${standard === yes ? 'not ' : ''}on by default`);
  return faults;
}

test.each(Object.entries(TOOL_OPTIONS).filter(([words]) => !MISSING_COMMANDS.includes(words)))('svc %s takes what the table says', async (words, wanted) => {
  expect(await faultsOf(words, wanted)).toEqual([]);
});

/**
 * What follows `call`’s and `schedules create`’s --json is the arguments; their results are JSON, or an id
 * alone.
 */
const JSON_IS_ARGUMENTS = ['call', 'schedules create'];

test.each(definitions.map(({ path, ...rest }) => [path, rest] as const))('%s has an example and --json', (path, { options, examples = [] }) => {
  expect(examples.length).toBeGreaterThan(0);
  const json = options.map(({ definition }) => namesOf(definition)).find(({ names }) => names.includes('--json'));
  expect(json?.takesValue).toBe(JSON_IS_ARGUMENTS.includes(path.replace(/^svc /, '')));
});

test('the list of what is missing has nothing that is there, and nothing that the table does not know', () => {
  expect(MISSING_COMMANDS.filter((words) => paths.has(words) || !(words in TOOL_OPTIONS))).toEqual([]);
});
