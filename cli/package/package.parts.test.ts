// The package as a stranger gets it: packed, installed by npm in an empty folder, used there. Nothing of the
// clone is on its way.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { VERSION } from '#version.ts';
import { makeTool } from '../test/tool.ts';
import { packedCli } from '#test/support/packages.ts';

let folder: string;
let project: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-stranger-'));
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  expect(await run('npm', ['install', '--no-audit', await packedCli()])).toMatchObject({ code: 0 });
  project = join(folder, 'greeter');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function run(command: string, args: string[], cwd = folder): Promise<{ code: number; out: string; err: string }> {
  // This Node; no registry is there to be asked.
  const env = {
    PATH: `${join(folder, 'node_modules/.bin')}:${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: folder,
    npm_config_registry: 'http://127.0.0.1:1/',
    npm_config_fetch_retries: '0',
  };
  return new Promise((resolve) =>
    execFile(command, args, { cwd, env }, (error, out, err) => resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, out, err })),
  );
}
const svc = (args: string[], cwd = folder) => run(join(folder, 'node_modules/.bin/svc'), args, cwd);

test('it names its version, and brings no file of the clone but its own', async () => {
  expect(await svc(['--version'])).toEqual({ code: 0, out: `${VERSION}\n`, err: '' });
  const files = ['LICENSE', 'NOTICE', 'README.md', 'bin.mjs', 'cli', 'dist', 'keep-compiled.mjs', 'package.json', 'sdk'];
  expect((await readdir(join(folder, 'node_modules/@svc/cli'))).toSorted()).toEqual(files);
});

test('the licences of what its bundle contains come along, and NOTICE names each', async () => {
  const own = join(folder, 'node_modules/@svc/cli');
  const [texts, notice] = await Promise.all([readFile(join(own, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8'), readFile(join(own, 'NOTICE'), 'utf8')]);
  const bundled = [...texts.matchAll(/^={80}\n(\S+ \S+ \(.+\))\n={80}\n\n(.+)/gm)];
  expect(bundled.length).toBeGreaterThan(15);
  expect(bundled.flatMap(([, line = '']) => (notice.includes(`\n- ${line}\n`) ? [] : [line]))).toEqual([]);
  expect(texts).toMatch(/clipanion[^]*Permission is hereby granted/);
});

test('help, completion and version need nothing of the tool itself, and say the same', async () => {
  const dist = join(folder, 'node_modules/@svc/cli/dist');
  const lines = [['--help'], [], ['deploy', '--help'], ['help', 'files', 'rm'], ['receipt', '-h'], ['completion', 'fish'], ['-V']];
  const whole = await makeTool('http://localhost:8080', '/nowhere');
  const expected = await Promise.all(lines.map((line) => whole.run(line)));
  await whole.remove();
  await rename(join(dist, 'svc.js'), join(dist, 'svc.js.away'));
  try {
    for (const [i, line] of lines.entries()) expect(await svc(line)).toEqual({ code: 0, out: expected[i]?.out, err: '' });
  } finally {
    await rename(join(dist, 'svc.js.away'), join(dist, 'svc.js'));
  }
  // What it does not have is the tool's to answer.
  expect(await svc(['deplyo', '--help'])).toMatchObject({ code: 2, err: expect.stringContaining('Did you mean: svc deploy?') });
});

test('a project in TypeScript: made, valid, its tests pass, and npm install of something else leaves the SDK there', async () => {
  expect(await svc(['init', 'greeter', '--language', 'typescript'])).toMatchObject({ code: 0 });
  expect(await svc(['validate'], project)).toMatchObject({ code: 0, err: expect.stringContaining('ok: greeter 0.1.0') });
  await mkdir(join(folder, 'other'));
  await writeFile(join(folder, 'other/package.json'), '{"name":"other-thing","version":"1.0.0"}');
  expect(await run('npm', ['install', '--no-audit', '../other'], project)).toMatchObject({ code: 0 });
  expect((await stat(join(project, 'node_modules/@svc/sdk/dist/index.js'))).isFile()).toBe(true);
  const tested = await run('npm', ['test'], project);
  expect(tested).toMatchObject({ code: 0, out: expect.stringMatching(/pass 2\b/) });
  expect(await svc(['test', '--invoke', '--skill', 'greet', '--args-json', '{"name":"Ada"}'], project)).toMatchObject({ code: 0 });
});

test('an older Node is refused in one sentence: by the tool, by the tests of a project, by the SDK', async () => {
  const pretend = ['--import', 'data:text/javascript,Object.defineProperty(process.versions,"node",{value:"20.20.2"})'];
  const tool = await run(process.execPath, [...pretend, join(folder, 'node_modules/@svc/cli/bin.mjs'), 'agents']);
  expect(tool).toEqual({ code: 1, out: '', err: 'svc needs Node 24 or newer, and this is Node 20.20.2. Install it from https://nodejs.org\n' });
  const sdk = await run(process.execPath, [...pretend, '--eval', 'import("@svc/sdk").catch(({ message }) => console.log(message))'], project);
  expect(sdk.out).toContain('@svc/sdk needs Node 24 or newer, and this is Node 20.20.2');
});

test('a project in Python is made with an SDK that lies in the package', async () => {
  expect(await svc(['init', 'snake'])).toMatchObject({ code: 0 });
  expect((await stat(join(folder, 'node_modules/@svc/cli/sdk/python/src/svc/__init__.py'))).isFile()).toBe(true);
});
