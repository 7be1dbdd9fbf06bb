// What the tool says about itself, and about a command line that is wrong.
// reads: core/ api/ host/ activities/ workflows/ drivers/ stack/ sdk/typescript/
import { globSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { ERRORS } from '#contract/errors/index.ts';
import { pathsOf } from './tool.ts';
import { allCommands } from '../topics/index.ts';
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

test('every command has a page that names all it takes, and none shows the library’s placeholders', async () => {
  const overview = (await tool.run(['--help'])).out;
  for (const path of pathsOf(await allCommands())) {
    expect(overview).toContain(path.join(' '));
    const { code, out } = await helpOf(path.join(' '));
    expect(code).toBe(EXIT.ok);
    expect(out).toContain(`Usage: svc ${path.join(' ')} [OPTIONS]`);
    expect(out).not.toMatch(/#0|undefined/);
  }
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
  const named = new Set([...quoted, ...inRemedies]);
  expect(named.size).toBeGreaterThan(20);
  const paths = pathsOf(await allCommands()).map((path) => path.join(' '));
  const wrong: string[] = [];
  for (const words of named) {
    const path = paths.filter((one) => words === one || words.startsWith(`${one} `)).toSorted((a, b) => b.length - a.length)[0];
    const { out } = await helpOf(path ?? words);
    const takesMore = new RegExp(`^Usage: svc ${path} \\[OPTIONS\\] \\S`, 'm').test(out);
    if (path === undefined || (path !== words && !takesMore)) wrong.push(words);
  }
  expect(wrong).toEqual([]);
});

test('a page gives values by name, defaults, short forms and the --no- form', async () => {
  const { out } = await tool.run(['deploy', '-h']);
  expect(out).toMatch(/-p, --project PATH +folder of the project \(default: \.\)/);
  expect(out).toMatch(/--wait, --no-wait +wait until it is live \(on by default\)/);
  expect((await tool.run(['help', 'call'])).out).toContain('AGENT TOOL [KEY=VALUE...]');
  expect((await tool.run(['help', 'files', 'rm'])).out).toContain('Usage: svc files rm [OPTIONS] PATH [PATH...]');
  expect((await tool.run(['run', '--help'])).out).toMatch(/-e, --entrypoint TEXT +module:Class \(required\)/);
});

test('a wrong command line says what is wrong and where to read on', async () => {
  expect(await tool.run(['run'])).toMatchObject({ code: EXIT.usage, err: '--entrypoint is required.\nSee: svc run --help\n' });
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

test('started by its path, it names itself by that in advice and on help pages', async () => {
  const launcher = join(import.meta.dirname, '../bin.mjs');
  expect((await tool.run(['whoami'])).err).toContain('with: svc login');
  expect((await tool.spawn(['whoami'], { PATH: '/usr/bin:/bin' }).ended).err).toContain(`with: ${launcher} login`);
  expect((await tool.spawn(['whoami', '--help'], { PATH: '/usr/bin:/bin' }).ended).out).toContain(`Usage: ${launcher} whoami [OPTIONS]`);
  expect((await tool.spawn(['whoami'], { PATH: join(import.meta.dirname, '../bin') }).ended).err).toContain('with: svc login');
});
