import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BuildOutput, LogLine, PackedFrontend } from '#drivers/runtime/port.ts';
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
}, 180_000);
afterAll(async () => {
  registry.close();
  await host.end();
}, 60_000);

async function build(files: Record<string, string>, lines: Omit<LogLine, 'seq'>[] = [], frontend?: PackedFrontend): Promise<BuildOutput> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-project-'));
  try {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(dir, name)), { recursive: true });
      await writeFile(join(dir, name), text);
    }
    return await host.runtime.build(
      { build_id: uniqueId('b'), tenant: 'test', source: sourceOf(dir), language: 'typescript', entrypoint: 'agent:Tester', frontend },
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

test('compiled packages are kept beside the bundle and find their files; prompts and data too', async () => {
  const code = agent(
    "import { readFileSync } from 'node:fs';\nimport { there, where } from 'compiled';",
    "({ there, where, prompt: readFileSync(new URL('./prompts/a.txt', import.meta.url), 'utf8') })",
  );
  const { image } = await build({
    'agent.ts': code,
    'prompts/a.txt': 'be kind',
    '.env': 'TOKEN=x',
    'package.json': JSON.stringify({ dependencies: wanted(['compiled']) }),
  });
  expect(await answerOf(image)).toEqual({ there: true, where: '/app/node_modules/compiled', prompt: 'be kind' });
});

test('top-level await works', async () => {
  const code = agent('const word = await Promise.resolve("awaited");', '({ word, url: import.meta.url })');
  expect(await answerOf((await build({ 'agent.ts': code })).image)).toEqual({ word: 'awaited', url: 'file:///app/svc-agent.mjs' });
});

test('a build reaches the registries only', async () => {
  const lines: Omit<LogLine, 'seq'>[] = [];
  const files = { 'agent.ts': agent('', '1'), 'package.json': JSON.stringify({ dependencies: { far: 'http://elsewhere.test/far-1.0.0.tgz' } }) };
  await expect(build(files, lines)).rejects.toMatchObject({ code: 'build_failed', message: expect.stringContaining('Installing the dependencies failed') });
  expect(lines.filter((line) => /elsewhere\.test.*builds reach the package registries only/.test(line.text)).length).toBeGreaterThan(0);
});

const frontend: PackedFrontend = { path: 'web', build: 'npm run build', dist: 'dist', mount: '/app', auth: 'public' };

test(
  'a frontend is built with its own packages, packed into the layer without its sources, and served; its packages are kept',
  { timeout: 300_000 },
  async () => {
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
  },
);

test('plain files need no build; a frontend that cannot be served fails the deploy with the file and the remedy', { timeout: 300_000 }, async () => {
  const source = { 'agent.ts': agent('', '1') };
  await build({ ...source, 'web/index.html': '<h1>plain</h1>' }, [], { ...frontend, dist: '.' });
  await expect(build({ ...source, 'web/other.html': '' }, [], frontend)).rejects.toThrow(/web\/dist\/index\.html is not there after the build.*frontend\.dist/);
  await expect(build(source, [], frontend)).rejects.toThrow(/no folder "web"/);
  const failing = { ...source, 'web/package.json': JSON.stringify({ name: 'p', scripts: { build: 'exit 3' } }) };
  await expect(build(failing, [], frontend)).rejects.toThrow(/"npm run build"\) failed with code 3/);
  await expect(build(source, [], { ...frontend, path: '../elsewhere' })).rejects.toThrow(/leaves the project/);
});
