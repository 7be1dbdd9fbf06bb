// What the pages show is true: samples are tested files, commands and links exist, the short pages stay
// short.
// reads: docs/ db/migrations/ deploy/ sdk/ README.md AGENTS.md CONTRIBUTING.md
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { Cli } from 'clipanion';
import { describe, expect, test } from 'vitest';
import { HIDDEN_NAMES } from '#cli/lib/other-names.ts';
import { pathsOf } from '#cli/parser/tool.ts';
import { allCommands } from '#cli/topics/index.ts';
import { KEYS } from '#db/keys.ts';
import { placesOf, readBook } from '#web/build/docs/book.ts';
import manifest from '../package.json' with { type: 'json' };
import { commandPages } from './commands.ts';
import { ENTRIES } from './contents.ts';
import { DATA_MODEL, dataModel } from './data-model.ts';
import { commandsOf, functionOf, headingsOf, linksOf, pages, readPage, regionOf, regionsOf, ROOT, samplesOf, withSamples } from './pages.ts';
import { ROWS } from './table-rows.ts';

/**
 * By the first word: to read one line with the commands of all topics takes the tool a twentieth of a second.
 */
const commands = await allCommands();
const parsers = new Map<string, Cli>();
function parserOf(topic: string): Cli {
  const known = parsers.get(topic);
  if (known) return known;
  const cli = new Cli({ binaryName: 'svc' });
  for (const command of commands) if (command.paths?.some(([first]) => first === topic)) cli.register(command);
  parsers.set(topic, cli);
  return cli;
}
const paths = new Set(pathsOf(commands).map((path) => path.join(' ')));

/** What is wrong with a command line after `svc`, as the tool itself reads it; undefined: nothing. */
function problemOf(line: string, isWhole = false): string | undefined {
  // In a sentence a command alone is its name.
  if ((!isWhole && paths.has(line)) || line === '--help' || line.startsWith('help ')) return undefined;
  const name = nameIn(line);
  if (HIDDEN_NAMES.includes(name) && (isWhole || name.includes(' '))) return `svc ${line}: pages do not show the name ${name}`;
  if (!problems.has(line)) problems.set(line, problemRead(line));
  return problems.get(line);
}

/** The command's own words. */
function nameIn(line: string): string {
  const words = line.split(' ');
  return words.map((_, i) => words.slice(0, words.length - i).join(' ')).find((path) => paths.has(path)) ?? '';
}

/** Pages repeat lines. */
const problems = new Map<string, string | undefined>();

function problemRead(line: string): string | undefined {
  const words = [...line.matchAll(/"([^"]*)"|'([^']*)'|\S+/g)].map(([word, double, single]) => double ?? single ?? word);
  try {
    parserOf(words[0] ?? '').process(words);
    return undefined;
  } catch (error) {
    return `svc ${line}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Written from the commands themselves: its examples may call agents. */
const WRITTEN = await commandPages();

describe.each(pages().filter((path) => !WRITTEN.has(path)))('%s', (path) => {
  const page = readPage(path);

  test('shows its samples as the files have them (node docs/pages.ts writes them)', () => {
    expect(page).toBe(withSamples(page));
  });

  test('shows code of an agent only as samples', () => {
    const blocks = page.match(/^```(?:ts|typescript|py|python)$/gm) ?? [];
    expect(samplesOf(page).filter((sample) => /\.(?:ts|py)(?:#|$)/.test(sample))).toHaveLength(blocks.length);
  });

  test('shows commands that the tool has', () => {
    const lines = commandsOf(page, 'svc');
    const blocks = page.match(/```(?:sh|console)\n[\s\S]*?```/g)?.join('\n') ?? '';
    const whole = commandsOf(blocks, 'svc');
    expect([...lines.flatMap((line) => problemOf(line) ?? []), ...whole.flatMap((line) => problemOf(line, true) ?? [])]).toEqual([]);
  });

  test('shows npm scripts that the repository has', () => {
    const scripts = [...page.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name);
    expect(scripts.filter((name) => !(name in manifest.scripts))).toEqual([]);
  });
});

test('docs/cli.md and the pages below it say what the commands say (node docs/pages.ts writes them)', () => {
  for (const [path, page] of WRITTEN) expect(readPage(path), path).toBe(page);
  expect([...WRITTEN.keys()].toSorted()).toEqual(['docs/cli.md', ...globSync('docs/cli/*.md', { cwd: ROOT })].toSorted());
});

test('docs/contributing/data-model.md has every table, as the schema and docs/table-rows.ts have it (node docs/pages.ts writes it)', () => {
  const named = Object.values(ROWS).flatMap((rows) => Object.keys(rows));
  expect(named.toSorted()).toEqual(Object.keys(KEYS).toSorted());
  expect(readPage(DATA_MODEL)).toBe(dataModel(ROOT));
});

test('every link of every page leads to a file, and to a heading that is there', () => {
  const all = [
    ...pages(),
    ...globSync(['deploy/**/*.md', 'sdk/*.md', 'sdk/*/README.md', 'AGENTS.md', 'CONTRIBUTING.md', 'SECURITY.md'], {
      cwd: ROOT,
      exclude: ['**/node_modules/**'],
    }),
  ];
  const headings = new Map(all.map((path) => [path, new Set(headingsOf(readPage(path)))]));
  const links = all.flatMap((from) => linksOf(from, readPage(from)).map((link) => ({ from, ...link })));
  expect(links.length).toBeGreaterThan(300);
  const broken = links.filter(
    ({ path, fragment }) => !existsSync(join(ROOT, path)) || (fragment !== undefined && path.endsWith('.md') && headings.get(path)?.has(fragment) !== true),
  );
  expect(broken).toEqual([]);
});

test('the documentation has every page of docs/ and deploy/, each once, and all of them can be shown', () => {
  const { pages: shown, sections } = readBook(ROOT);
  const files = [...pages().filter((path) => path !== 'README.md'), ...globSync('deploy/**/*.md', { cwd: ROOT })];
  expect(files.filter((path) => !ENTRIES.some(({ source }) => source === path))).toEqual([]);
  expect(new Set(ENTRIES.map(({ at }) => at)).size).toBe(ENTRIES.length);
  expect(sections.flatMap((section) => section.pages)).toHaveLength(shown.length);
  // The search finds more than whole pages.
  expect(placesOf(shown).length).toBeGreaterThan(shown.length * 3);
});

test('no text fetches a package from npm that is not ours: until svc is published, nobody is told to run it through npx, or to install it by name', () => {
  const texts = globSync('{*.md,{cli,core,deploy,docs,examples,sdk,stack,test,web}/**/*.{md,mjs,sh,tmpl,ts,tsx,txt,yaml}}', {
    cwd: ROOT,
    exclude: ['**/node_modules/**', '**/dist/**', '**/.svc/**'],
  });
  const fetches = /\b(?:npx|npm (?:i|install)) (?:-[\w-]+ )*(?:svc\b(?!-)|@svc\/)/;
  expect(
    [
      ['npx', 'svc login'],
      ['npx', '-y', '@svc/cli'],
      ['npm', 'install -g', '@svc/cli'],
      ['npm', 'install -g ./svc-cli-1.0.0.tgz'],
      ['npx', 'vitest run svc'],
    ].map((words) => fetches.test(words.join(' '))),
  ).toEqual([true, true, true, false, false]);
  expect(texts.length).toBeGreaterThan(2_000);
  expect(texts.filter((path) => fetches.test(readPage(path)))).toEqual([]);
});

test('every region of the samples is shown', () => {
  const shown = new Set(pages().flatMap((path) => samplesOf(readPage(path))));
  const files = globSync('docs/samples/**/*.{ts,py}', { cwd: ROOT });
  const regions = files.flatMap((file) => regionsOf(readPage(file)).map((name) => `${file}#${name}`));
  expect(regions.length).toBeGreaterThan(20);
  expect(regions.filter((region) => !shown.has(region))).toEqual([]);
});

test('pages that must stay short are short', () => {
  const lines = (path: string): number => readPage(path).trimEnd().split('\n').length;
  expect(lines('docs/glossary.md')).toBeLessThanOrEqual(80);
  expect(lines('README.md')).toBeLessThanOrEqual(120);
  const decisions = pages().filter((path) => /^docs\/decisions\/\d/.test(path));
  expect(decisions).toHaveLength(12);
  for (const path of decisions) expect(lines(path), path).toBeLessThanOrEqual(40);
});

test('a wrong command, option, region or sample is found', () => {
  expect(problemOf('call greeter greet name="Ada L"')).toBeUndefined();
  expect(problemOf('receipt verify x --agent greeter')).toBeUndefined();
  expect([problemOf('call'), problemOf('call', true)]).toEqual([undefined, expect.stringContaining('svc call: ')]);
  expect(problemOf('files rm a')).toMatch(/do not show the name files rm/);
  expect(problemOf('dance')).toMatch(/^svc dance: /);
  expect(problemOf('deploy --fast')).toMatch(/--fast/);
  expect(problemOf('call greeter')).toMatch(/^svc call greeter: /);
  expect(commandsOf('```sh\nsvc up | svc call a b  # c\n```\n`svc chat`', 'svc')).toEqual(['up', 'call a b', 'chat']);
  const file = 'x\n  // region a\n  one\n    two\n  // endregion\n';
  expect(regionOf('f', file, 'a')).toBe('one\n  two');
  expect(() => regionOf('f', file, 'b')).toThrow('f has no region b');
  const go = 'package main\n\n// add adds.\nfunc (s *thing) add(a int) int {\n\treturn a\n}\n\nfunc addAll() {\n}\n';
  expect(functionOf('f', go, 'add')).toBe('// add adds.\nfunc (s *thing) add(a int) int {\n\treturn a\n}');
  expect(() => functionOf('f', go, 'sub')).toThrow('f has no function sub');
  const page = '<!-- sample: f#a -->\n```ts\nold\n```\n<!-- end of sample -->';
  expect(withSamples(page, () => file)).toBe(page.replace('old', 'one\n  two'));
});
