import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BuildInput, BuildOutput, LogLine, PackedFrontend } from '#drivers/runtime/port.ts';
import { callAgent, sourceOf, startInput, uniqueId } from '#drivers/runtime/test/agents.ts';
import { testHost, type TestHost } from '../test/support.ts';
import { testRegistry, type TestRegistry } from '../test/registry.ts';

// Builds with dependencies, in real machines, against a registry on loopback.
const never = new AbortController().signal;
let host: TestHost;
let registry: TestRegistry;

const agent = (imports: string, result: string): string => `import { Agent, skill, z } from '@svc/sdk';
${imports}
export class Tester extends Agent {
  override name = 'tester';
  override description = '';
  override version = '1.0.0';
  ask = skill({ description: '', input: z.object({}), output: z.unknown() }, async () => ${result});
}
`;
const lockOf = (names: string[]): string =>
  JSON.stringify({
    name: 'p',
    lockfileVersion: 3,
    requires: true,
    packages: { '': { name: 'p', dependencies: wanted(names) }, ...Object.fromEntries(names.map((name) => [`node_modules/${name}`, { version: '1.0.0' }])) },
  });
const wanted = (names: string[]): Record<string, string> => Object.fromEntries(names.map((name) => [name, '1.0.0']));

beforeAll(async () => {
  registry = await testRegistry([
    { name: 'plain', files: { 'index.js': 'exports.word = "plain";' } },
    {
      name: 'compiled',
      files: {
        'index.js': 'exports.where = __dirname; exports.there = require("node:fs").existsSync(__dirname + "/build/x.node");',
        'build/x.node': 'not really',
      },
    },
    // What one tenant's install script may try on what others will get.
    {
      name: 'scripted',
      files: { 'index.js': 'exports.ran = false;' },
      manifest: { scripts: { postinstall: 'echo "exports.word = \\"poisoned\\";" > ../plain/index.js; echo "exports.ran = true;" > index.js' } },
    },
  ]);
  host = await testHost({ SVC_BUILD_EGRESS: registry.url });
});
afterAll(async () => {
  registry.close();
  await host.end();
});

async function build(
  files: Record<string, string>,
  lines: Omit<LogLine, 'seq'>[] = [],
  frontend?: PackedFrontend,
  checked: Pick<BuildInput, 'checks'> & { build_id?: string } = {},
  entrypoint = 'agent:Tester',
): Promise<BuildOutput> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-project-'));
  try {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(dir, name)), { recursive: true });
      await writeFile(join(dir, name), text);
    }
    return await host.runtime.build(
      { build_id: uniqueId('b'), tenant: 'test', source: sourceOf(dir), language: 'typescript', entrypoint, frontend, ...checked },
      (line) => lines.push(line),
      never,
    );
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
async function answerOf(image: string): Promise<unknown> {
  const input = startInput(image);
  await host.runtime.start(input, () => undefined, never);
  try {
    return (await callAgent(host.runtime.address(input.instance_id), '/invoke/ask', {})).body;
  } finally {
    await host.runtime.stop(input.instance_id);
  }
}

test('installed once per lock file; what install scripts do stays in their own build', async () => {
  const code = agent("import { word } from 'plain';\nimport { ran } from 'scripted';", '({ word, ran })');
  const names = ['plain', 'scripted'];
  const project = (more: object): Record<string, string> => ({
    'agent.ts': code,
    'package.json': JSON.stringify({ dependencies: wanted(names), ...more }),
    'package-lock.json': lockOf(names),
  });
  const unique = { keywords: [uniqueId('k')] }; // nothing of an earlier run is found
  const first = await build(project({ ...unique, trustedDependencies: ['scripted'] }));
  expect(first.cached).toBe(false);
  expect(await answerOf(first.image)).toEqual({ word: 'poisoned', ran: true });
  const asked = registry.asked.length;
  const second = await build(project({ ...unique, trustedDependencies: ['scripted'] }));
  expect([second.cached, second.image, registry.asked.length]).toEqual([true, first.image, asked]);
  const third = await build(project(unique));
  expect(await answerOf(third.image)).toEqual({ word: 'plain', ran: false });
});

test('compiled packages are kept beside the bundle and find their files; prompts and data too; top-level await works', async () => {
  const code = agent(
    "import { readFileSync } from 'node:fs';\nimport { there, where } from 'compiled';\nconst word = await Promise.resolve('awaited');",
    "({ there, where, prompt: readFileSync(new URL('./prompts/a.txt', import.meta.url), 'utf8'), word, url: import.meta.url })",
  );
  const { image } = await build({
    'agent.ts': code,
    'prompts/a.txt': 'be kind',
    '.env': 'TOKEN=x',
    'package.json': JSON.stringify({ dependencies: wanted(['compiled']) }),
  });
  const found = { there: true, where: '/app/node_modules/compiled', prompt: 'be kind' };
  expect(await answerOf(image)).toEqual({ ...found, word: 'awaited', url: 'file:///app/svc-agent.mjs' });
});

test.each([
  ['', 'cjs'],
  ["const word = await Promise.resolve('');", 'mjs'],
])("the author's own svc-agent files are the author's (%s)", async (first, ending) => {
  const other = 'exports.start = () => { throw new Error("started in place of the agent"); };';
  const files = { 'svc-agent.ts': agent(first, 'import.meta.url'), 'svc-agent.cjs': other, 'svc-agent.mjs': 'export const start = () => undefined;' };
  const { image } = await build(files, [], undefined, {}, 'svc-agent:Tester');
  expect(await answerOf(image)).toBe(`file:///app/svc-agent.${ending}`);
});

test('a build reaches the registries only', async () => {
  const lines: Omit<LogLine, 'seq'>[] = [];
  const files = { 'agent.ts': agent('', '1'), 'package.json': JSON.stringify({ dependencies: { far: 'http://elsewhere.test/far-1.0.0.tgz' } }) };
  await expect(build(files, lines)).rejects.toMatchObject({ code: 'build_failed', message: expect.stringContaining('Installing the dependencies failed') });
  expect(lines.filter((line) => /elsewhere\.test.*builds reach the package registries only/.test(line.text)).length).toBeGreaterThan(0);
});

const frontend: PackedFrontend = { path: 'web', build: 'npm run build', dist: 'dist', mount: '/app', auth: 'public' };

test('a frontend is built with its own packages, packed into the layer without its sources, and served; its packages are kept', async () => {
  const files = {
    'agent.ts': agent("import { existsSync } from 'node:fs';", "existsSync('/app/web')"),
    'web/package.json': JSON.stringify({ name: 'p', scripts: { build: 'node build.mjs' }, dependencies: wanted(['plain']) }),
    'web/package-lock.json': lockOf(['plain']),
    'web/build.mjs': `import { mkdirSync, writeFileSync } from 'node:fs'; import { word } from 'plain';
mkdirSync('dist/assets', { recursive: true }); writeFileSync('dist/index.html', '<h1>' + word + '</h1>'); writeFileSync('dist/assets/a-0a1b2c3d.js', '1'); writeFileSync('dist/.env', 'no');`,
  };
  const lines: Omit<LogLine, 'seq'>[] = [];
  const built = await build(files, lines, frontend);
  const input = startInput(built.image);
  await host.runtime.start(input, () => undefined, never);
  try {
    const address = host.runtime.address(input.instance_id);
    expect(await callAgent(address, '/app/', undefined)).toMatchObject({ status: 200, text: '<h1>plain</h1>' });
    expect((await callAgent(address, '/app/.env', undefined)).status).toBe(404);
    expect((await callAgent(address, '/app/config.json', undefined)).body).toMatchObject({ mount: '/app', auth: 'public', skills: [{ id: 'ask' }] });
    expect((await callAgent(address, '/invoke/ask', {})).body).toBe(false);
  } finally {
    await host.runtime.stop(input.instance_id);
  }
  const again: Omit<LogLine, 'seq'>[] = [];
  await build(files, again, frontend);
  expect(again.map((line) => line.text)).toContain("The frontend's packages come from the cache.");
});

// Plain files, and the other frontends that cannot be served: host/build/guest/frontend.test.ts.
test('a frontend that cannot be served fails the deploy with the file and the remedy', async () => {
  const source = { 'agent.ts': agent('', '1') };
  await expect(build({ ...source, 'web/other.html': '' }, [], frontend)).rejects.toThrow(
    /web\/dist\/index\.html does not exist after the build.*frontend\.dist/,
  );
  const failing = { ...source, 'web/package.json': JSON.stringify({ name: 'p', scripts: { build: 'exit 3' } }) };
  await expect(build(failing, [], frontend)).rejects.toThrow(/"npm run build"\) failed with code 3/);
});

const testOf = (body: string, more = ''): string => `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testAgent } from '@svc/sdk/testing';
import { Tester } from './agent.ts';
${more}
${body}
`;
const asks = "test('asks', async () => assert.equal((await testAgent(Tester).invoke('ask', {})).result, 1));";

const plain = "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\n";

/** What a test may try on the network and on the result. */
const hostile = String.raw`
test('reaches nothing outside', async () => {
  await assert.rejects(fetch('http://elsewhere.test/'));
  const socket = connect('/run/svc/host/egress.sock');
  socket.end('CONNECT elsewhere.test:443 HTTP/1.1\r\nhost: elsewhere.test:443\r\n\r\n');
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  assert.match(answer, /^HTTP\/1\.1 403/);
});
test('leaves what must not come out', () => {
  for (const link of ['/work/out/app/link', '/work/out/link']) symlinkSync('/etc', link);
  writeFileSync('/work/out/app/plain.txt', 'plain');
  execFileSync('mkfifo', ['/work/out/app/pipe']);
});`;

test('checks pass: tests and types of a project; what tests try on network and result stays without effect', async () => {
  const lines: Omit<LogLine, 'seq'>[] = [];
  const imports =
    "import { execFileSync } from 'node:child_process';\nimport { symlinkSync, writeFileSync } from 'node:fs';\nimport { connect } from 'node:net';";
  const code = agent(
    "import { readdirSync } from 'node:fs';",
    "process.cwd() === '/app' ? readdirSync('/app').filter((name) => /link|pipe|plain/.test(name)) : 1",
  );
  const { image } = await build(
    { 'agent.ts': code, 'test/agent.test.ts': testOf(`${asks}${hostile}`, imports).replace('./agent', '../agent') },
    lines,
    undefined,
    {
      checks: 'tests_and_types',
    },
  );
  const said = lines.map((line) => line.text);
  expect(said.filter((text) => /^3 tests passed in|^Types checked in|elsewhere\.test.*registries only/.test(text))).toHaveLength(3);
  expect(await answerOf(image)).toEqual(['plain.txt']);
});

test('checks fail: the message names the test and the place of the type error', async () => {
  const lines: Omit<LogLine, 'seq'>[] = [];
  const failing = "test('passes', () => undefined);\ntest('adds up', () => assert.equal(1 + 1, 3));";
  const files = { 'agent.ts': agent("const wrong: number = 'text';", 'wrong'), 'agent.test.js': `${plain}${failing}` };
  const error = await build(files, lines, undefined, { checks: 'tests_and_types' }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    code: 'checks_failed',
    message: expect.stringMatching(/^1 of 2 tests failed\.\nagent\.test\.js:4 "adds up": Expected values/),
  });
  expect(error).toMatchObject({ message: expect.stringMatching(/The types have an error\.\nagent\.ts:2:7: error TS2322: Type 'string'/) });
  expect(lines.some((line) => line.text.includes('adds up'))).toBe(true);
  await expect(build({ 'agent.ts': agent('', '1') }, [], undefined, { checks: 'tests' })).rejects.toMatchObject({
    code: 'checks_failed',
    message: expect.stringMatching(/^The project has no tests/),
  });
});

test('a test without an end is ended by the limit, and its machine is gone', async () => {
  await host.restart({ SVC_BUILD_CHECK_SECONDS: '5' });
  const build_id = uniqueId('b');
  const files = { 'agent.ts': agent('', '1'), 'agent.test.js': `${plain}test('ends never', () => { for (;;); });` };
  await expect(build(files, [], undefined, { checks: 'tests', build_id })).rejects.toMatchObject({
    code: 'checks_failed',
    message: expect.stringMatching(/^The tests did not end within 5 seconds and were ended/),
  });
  expect(await readdir(join(host.stateDir, 'build'))).not.toContain(build_id);
  expect(await programsOf(build_id)).toEqual([]);
});

/** Command lines with that word. */
async function programsOf(word: string): Promise<string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  return commands.filter((command) => command.includes(word));
}
