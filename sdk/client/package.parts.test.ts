// The package as a stranger gets it: packed, installed by npm in an empty folder, compiled there, used there
// against the API.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { VERSION } from '../../version.ts';
import { createWorld, type World } from '../../test/api/world.ts';
import { builtClient } from '../../test/support/packages.ts';

const TSC = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc');

let folder: string;
let world: World;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-client-'));
  await run('npm', ['pack', await builtClient()]);
  await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  await run('npm', ['install', '--no-audit', `./svc-client-${VERSION}.tgz`]);
  world = await createWorld();
});
afterAll(async () => {
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

/** With no registry there to be asked. */
function run(command: string, args: string[], more: Record<string, string> = {}): Promise<string> {
  const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: folder, npm_config_registry: 'http://127.0.0.1:1/', ...more };
  return new Promise((resolve, reject) =>
    execFile(command, args, { cwd: folder, env }, (error, out, err) => (error ? reject(new Error(`${command}: ${out}${err}`)) : resolve(out))),
  );
}

const compiled = (file: string): Promise<string> =>
  run(process.execPath, [TSC, '--strict', '--target', 'es2022', '--module', 'nodenext', '--lib', 'es2024,dom', '--types', '', file]);

test('it has no dependencies, and is small', async () => {
  const text = await readFile(join(folder, 'node_modules/@svc/client/dist/index.js'));
  // A route is named import, too.
  const imports = /(?:^|[;}\s])import\s*(?:["'{*(]|[\w$]+\s*(?:,|from\b))|\brequire\(/;
  for (const one of ['import{a}from"zod"', 'x;import"zod"', 'import * as z from "zod"', 'require("zod")']) expect(one).toMatch(imports);
  expect(String(text)).not.toMatch(imports);
  expect(gzipSync(text).length).toBeLessThan(8 * 1024);
});

test('a program compiles against its types alone, and reads, changes and is refused', async () => {
  await writeFile(
    join(folder, 'use.ts'),
    `import { ApiError, createClient, pathTo } from '@svc/client';
     declare const process: { env: Record<string, string> };
     declare const console: { log(text: string): void };
     const api = createClient({ baseUrl: process.env.URL, token: process.env.TOKEN });
     const made = await api.agents.register({ body: { name: 'by-package', tags: ['small'] } });
     const count: number = made.call_count;
     const names: string[] = (await api.agents.mine()).map(({ name }) => name);
     const fault = await api.agents.get({ params: { name: 'no-such-agent' } }).catch((error: unknown) => error);
     const code = fault instanceof ApiError ? fault.status + ' ' + fault.code : 'not refused';
     console.log(JSON.stringify({ count, names, code, path: pathTo('GET /v1/agents/{name}', { name: 'a b' }) }));`,
  );
  await compiled('use.ts');
  const said: unknown = JSON.parse(await run(process.execPath, ['use.js'], { URL: world.url, TOKEN: world.tokens.ada }));
  expect(said).toEqual({ count: 0, names: expect.arrayContaining(['by-package']), code: '404 agent_not_found', path: '/v1/agents/a%20b' });
});

test('what the API does not declare does not compile', async () => {
  const wrong = {
    'a parameter that is missing': `await api.agents.get({})`,
    'a member that no route has': `await api.agents.register({ body: { name: 'x', size: 3 } })`,
    'a value that is not of the list': `await api.agents.setVisibility({ params: { name: 'x' }, body: { visibility: 'secret' } })`,
    'a result used as what it is not': `const n: number = (await api.agents.mine())[0].name`,
    'a group that does not exist': `await api.spaceships.list()`,
  };
  const right = [
    `import { createClient } from '@svc/client';`,
    `const api = createClient({ baseUrl: '' });`,
    `await api.agents.get({ params: { name: 'x' } });`,
  ];
  await writeFile(join(folder, 'wrong.ts'), [...right, ...Object.values(wrong), 'export {};', ''].join(';\n'));
  const faults = await compiled('wrong.ts').catch((error: unknown) => String(error));
  const lines = [...faults.matchAll(/wrong\.ts\((\d+),/g)].map(([, line]) => Number(line) - right.length - 1);
  expect(Object.keys(wrong).filter((_, at) => lines.includes(at))).toEqual(Object.keys(wrong));
  expect(lines.filter((line) => line < 0)).toEqual([]);
});
