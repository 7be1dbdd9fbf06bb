// What the tool says about itself, and about a command line that is wrong.
// reads: core/ api/ host/ activities/ workflows/ drivers/ stack/ sdk/typescript/
import { globSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { ERRORS } from '#contract/errors/index.ts';
import { GROUPS, topicsOf } from './groups.ts';
import { pathsOf, shownPaths } from './tool.ts';
import { HIDDEN_NAMES } from '../lib/other-names.ts';
import { allCommands, WORDS } from '../topics/index.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { makeTool, type Ran, type Tool } from '../test/tool.ts';

let tool: Tool;
beforeAll(async () => {
  tool = await makeTool('http://localhost:1', '/nowhere');
});
afterAll(() => tool.remove());

/** Of each command once: each costs a tenth of a second. */
const pages = new Map<string, Promise<Ran>>();
function helpOf(words: string): Promise<Ran> {
  const page = pages.get(words) ?? tool.run([...words.split(' '), '--help']);
  pages.set(words, page);
  return page;
}

test('the first page fits a screen, names the tool svc, and shows commands of each of ten groups', async () => {
  const { code, out } = await tool.run(['--help']);
  const lines = out.trimEnd().split('\n');
  expect({ code, groups: GROUPS.length, wide: lines.filter((line) => line.length > 80) }).toEqual({ code: EXIT.ok, groups: 10, wide: [] });
  expect(lines.length).toBeLessThanOrEqual(45);
  for (const { name, shown } of GROUPS) {
    expect(out).toMatch(new RegExp(`^ {2}${name}\\b`, 'm'));
    for (const word of Object.keys(shown)) expect(out).toMatch(new RegExp(`^ {2}(?:${name})? +${word}  `, 'm'));
  }
});

test('every command is in one group, and the pages of the groups show each once', async () => {
  expect(GROUPS.flatMap(topicsOf).toSorted()).toEqual(WORDS.toSorted());
  const pages = await Promise.all(GROUPS.map(async ({ name }) => (await tool.run(['help', name])).out));
  const rows = pages
    .flatMap((page) => [...page.slice(Math.max(0, page.lastIndexOf(':\n\n  '))).matchAll(/^ {2}([a-z][a-z-]*(?: [a-z-]+)*)(?: {2}|$)/gm)])
    .map(([, words = '']) => words);
  expect(rows.toSorted()).toEqual(
    shownPaths(await allCommands())
      .map((path) => path.join(' '))
      .toSorted(),
  );
});

test('every command has a page that names all it takes, by each of its names; only one of them is shown', async () => {
  const hidden = new Set<string>();
  for (const [path = [], ...others] of (await allCommands()).map(({ paths = [] }) => paths)) {
    const words = path.join(' ');
    const { code, out } = await helpOf(words);
    expect(code).toBe(EXIT.ok);
    expect(out).toContain(`Usage: svc ${words} [OPTIONS]`);
    expect(out).not.toMatch(/#0|undefined/);
    for (const other of others.map((one) => one.join(' '))) {
      hidden.add(other);
      const isTopic = !other.includes(' ') && words.startsWith(`${other} `);
      expect((await helpOf(other)).out).toContain(isTopic ? `  ${words}  ` : `Usage: svc ${words} [OPTIONS]`);
    }
  }
  expect([...hidden].toSorted()).toEqual(HIDDEN_NAMES.toSorted());
});

test('svc help WORD finds commands by name, by what they do, and by other words; it says when nothing matches', async () => {
  const rows = async (...words: string[]) => (await tool.run(['help', ...words])).out;
  expect(await rows('invite')).toContain('  orgs invite  ');
  expect(await rows('cron')).toMatch(/^ {2}schedules list {2}/m);
  expect(await rows('publish')).toMatch(/^ {2}deploy {2}/m);
  expect(await rows('rotate', 'password')).toContain('  databases rotate  ');
  expect((await rows('build')).indexOf('Usage: svc build [OPTIONS]')).toBe(0);
  expect(await rows('build')).toContain('\n  validate  ');
  expect(await tool.run(['help', 'schedulez'])).toEqual({
    code: EXIT.usage,
    out: '',
    err: 'Nothing matches "schedulez". Did you mean: svc schedules?\nAll groups: svc --help\n',
  });
});

test('a command that a message names is there', async () => {
  const root = join(import.meta.dirname, '../..');
  const sources = globSync(['{core,api,host,activities,workflows,drivers,stack,cli}/**/*.ts', 'sdk/typescript/**/*.ts'], {
    cwd: root,
    // What keys are derived from starts with the platform's name, too.
    exclude: ['drivers/vault/**', '**/*.test.ts', '**/node_modules/**', '**/dist/**', '**/templates/**'],
  });
  const texts = [...Object.values(ERRORS).map(({ remedy }) => remedy), ...sources.map((file) => readFileSync(join(root, file), 'utf8'))];
  const quoted = texts.flatMap((text) => [...text.matchAll(/["`](?:npx )?svc ([a-z]+(?:-[a-z]+)*(?: [a-z]+(?:-[a-z]+)*)*)/g)].map(([, words = '']) => words));
  const inRemedies = Object.values(ERRORS).flatMap(({ remedy }) =>
    [...remedy.matchAll(/\bsvc ([a-z]+(?:-[a-z]+)*(?: [a-z]+(?:-[a-z]+)*)*)/g)].map(([, words = '']) => words),
  );
  const named = new Set([...quoted, ...inRemedies].filter((words) => words !== 'help'));
  expect(named.size).toBeGreaterThan(20);
  const paths = pathsOf(await allCommands()).map((path) => path.join(' '));
  const wrong: string[] = [];
  for (const words of named) {
    const path = paths.filter((one) => words === one || words.startsWith(`${one} `)).toSorted((a, b) => b.length - a.length)[0];
    const { out } = await helpOf(path ?? words);
    const takesMore = new RegExp(`^Usage: svc ${path} \\[OPTIONS\\] \\S`, 'm').test(out);
    const takesTopic = path !== undefined && !path.includes(' ') && HIDDEN_NAMES.includes(path);
    if (path === undefined || (path !== words && !takesMore && !takesTopic) || (HIDDEN_NAMES.includes(path) && !takesTopic)) wrong.push(words);
  }
  expect(wrong).toEqual([]);
});

test('a page gives values by name, defaults, short forms and the --no- form', async () => {
  const { out } = await tool.run(['deploy', '-h']);
  expect(out).toMatch(/-p, --project PATH +folder of the project \(default: \.\)/);
  expect(out).toMatch(/--wait, --no-wait +wait until it is live \(on by default\)/);
  expect((await tool.run(['help', 'call'])).out).toContain('AGENT TOOL [KEY=VALUE...]');
  expect((await tool.run(['help', 'files', 'delete'])).out).toContain('Usage: svc files delete [OPTIONS] PATH [PATH...]');
  expect((await tool.run(['run', '--help'])).out).toMatch(/-e, --entrypoint TEXT +module:Class \(default: the entrypoint of svc\.yaml\)/);
});

test('a wrong command line says what is wrong and where to read on', async () => {
  expect(await tool.run(['auth', 'bearer', 'greeter'])).toMatchObject({ code: EXIT.usage, err: '--token is required.\nSee: svc auth bearer --help\n' });
  for (const argv of [
    ['greeter', '--run', '--follow'],
    ['greeter', '--follow', '--run'],
  ])
    expect(await tool.run(['logs', ...argv])).toMatchObject({ code: EXIT.usage, err: '--run needs a value.\nSee: svc logs --help\n' });
  expect((await tool.run(['call', 'greeter'])).err).toContain('An argument is missing. Usage: svc call [OPTIONS] AGENT TOOL');
  expect((await tool.run(['logout', 'now'])).err).toContain('svc logout takes no further argument: "now". Usage: svc logout [OPTIONS]');
  expect((await tool.run(['rollback', 'greeter', '2', '3'])).err).toContain('svc rollback takes no further argument. Usage: svc rollback');
  expect((await tool.run(['agents', '--all'])).err).toContain('There is no option --all here.');
  expect(await tool.run(['receipt'])).toMatchObject({ code: EXIT.usage, out: '' });
  expect((await tool.run(['receipt'])).err).toContain('receipt verify');
});

test.each([
  [['recipt'], 'Did you mean: svc receipt?'],
  [['publish'], 'Did you mean: svc deploy?'],
  [['secrets', 'rm', 'x'], 'Did you mean: svc secrets delete?'],
  [['receipt', 'vrify'], 'Did you mean: svc receipt verify?'],
  [['receipt', 'paint'], 'It has: list, show, verify.'],
  [['valdiate', '--help'], 'Did you mean: svc validate?'],
  [['help', 'cal'], 'Did you mean: svc call?'],
  [['agents', '--jsno'], 'Did you mean --json?'],
  [['init', 'x', '--language', 'typscript'], 'Did you mean typescript?'],
  [['completion', 'bsh'], 'Did you mean bash?'],
])('svc %j is corrected', async (argv, hint) => {
  const { code, out, err } = await tool.run(argv);
  expect({ code, out }).toEqual({ code: EXIT.usage, out: '' });
  expect(err).toContain(hint);
});

test('-V, -v, --version and version name the version of the package', async () => {
  const { version } = z.object({ version: z.string() }).parse(JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')));
  for (const word of ['-V', '-v', '--version', 'version']) expect(await tool.run([word])).toEqual({ code: EXIT.ok, out: `${version}\n`, err: '' });
});

test('started by its path, it names itself by that in advice; help pages say svc', async () => {
  const launcher = join(import.meta.dirname, '../bin.mjs');
  expect((await tool.run(['whoami'])).err).toContain('with: svc login');
  expect((await tool.spawn(['whoami'], { PATH: '/usr/bin:/bin' }).ended).err).toContain(`with: ${launcher} login`);
  expect((await tool.spawn(['whoami', '--help'], { PATH: '/usr/bin:/bin' }).ended).out).toContain('Usage: svc whoami [OPTIONS]');
  expect((await tool.spawn(['whoami'], { PATH: join(import.meta.dirname, '../bin') }).ended).err).toContain('with: svc login');
});
