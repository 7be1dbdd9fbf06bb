// What a release hands out, as a stranger installs it: only from the files, into empty folders. Nothing of
// the clone is on its way, and npm has no registry to ask; pip has, for what the SDK depends on.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorld, type World } from '#test/api/world.ts';
import { PYTHON, WITHOUT_PYTHON } from '#test/support/languages/python.ts';
import { VERSION } from '#version.ts';
import { buildRelease, SUMS } from './build.ts';

const RELEASE = { version: VERSION, date: '2026-11-30' };
let folder: string;
let files: string[];
let world: World;
const at = (...path: string[]): string => join(folder, ...path);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-released-'));
  [files, world] = await Promise.all([buildRelease(RELEASE, at('dist')), createWorld()]);
  await mkdir(at('elsewhere'));
  await run('npm', ['install', '--global', '--no-audit', '--prefix', at('global'), at('dist', `svc-cli-${VERSION}.tgz`)]);
}, 900_000);
afterAll(async () => {
  await world.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
});

interface More {
  cwd?: string;
  /** Before all else. */
  path?: string;
  env?: Record<string, string>;
}

function run(command: string, args: string[], { cwd = at('elsewhere'), path, env = {} }: More = {}): Promise<{ out: string; err: string }> {
  const own = {
    PATH: [path, dirname(process.execPath), process.env.PATH].filter(Boolean).join(':'),
    HOME: folder,
    npm_config_registry: 'http://127.0.0.1:1/',
    npm_config_fetch_retries: '0',
    SVC_API_URL: world.url,
    ...env,
  };
  return new Promise((resolve, reject) =>
    execFile(command, args, { cwd, env: own }, (error, out, err) =>
      error ? reject(new Error(`${command} ${args.join(' ')}: ${out}${err}`)) : resolve({ out, err }),
    ),
  );
}

/** The tool by its name, as a shell finds it. */
const svc = (args: string[], cwd?: string): Promise<{ out: string; err: string }> => run('svc', args, { path: at('global/bin'), ...(cwd && { cwd }) });

test('the files are those of a release, with checksums that hold', async () => {
  expect(files).toEqual([
    `svc-${VERSION}.cdx.json`,
    `svc-cli-${VERSION}.tgz`,
    `svc-client-${VERSION}.tgz`,
    `svc-sdk-${VERSION}.tgz`,
    `svc_sdk-${VERSION}-py3-none-any.whl`,
    `svc_sdk-${VERSION}.tar.gz`,
    SUMS,
  ]);
  expect((await run('sha256sum', ['--check', SUMS], { cwd: at('dist') })).out.match(/: OK$/gm)).toHaveLength(files.length - 1);
});

test('the list of parts names what npm locked, and what the Python package asks for', async () => {
  const bom: { components: { name: string; version?: string; scope?: string }[] } & Record<string, unknown> = JSON.parse(
    await readFile(at('dist', `svc-${VERSION}.cdx.json`), 'utf8'),
  );
  expect(bom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6', metadata: { component: { name: 'svc', version: VERSION } } });
  const { dependencies } = JSON.parse(await readFile(join(import.meta.dirname, '../../package.json'), 'utf8'));
  expect(bom.components).toContainEqual(expect.objectContaining({ name: 'zod', version: dependencies.zod }));
  expect(bom.components).toContainEqual(expect.objectContaining({ name: 'pydantic', scope: 'required' }));
  expect(bom.components).toContainEqual(expect.objectContaining({ name: 'langgraph', scope: 'optional' }));
});

test('npm install --global: svc signs in with a token at a running platform and lists agents', async () => {
  await world.as('ada').agents.register({ body: { name: 'by-release' } });
  expect((await svc(['login', '--token', world.tokens.ada])).out).toContain(`Signed in as `);
  expect(JSON.parse((await svc(['agents', '--json'])).out)).toContainEqual(expect.objectContaining({ name: 'by-release' }));
});

test('its advice says svc where the PATH leads to it, and its path where not', async () => {
  // It ends the sign-in, which is ada's.
  const inside = await svc(['logout']).then(() => svc(['whoami']).catch((error: unknown) => String(error)));
  expect(inside).toContain('with: svc login');
  await expect(run(at('global/bin/svc'), ['whoami'])).rejects.toThrow(`with: ${at('global/bin/svc')} login`);
});

test('a project that it makes has the SDK with it: npm installs it without a registry, its tests pass, it is valid', async () => {
  await svc(['init', 'greeter', '--language', 'typescript']);
  const project = at('elsewhere/greeter');
  await rm(join(project, 'node_modules'), { recursive: true });
  await run('npm', ['install', '--no-audit'], { cwd: project });
  const { version } = JSON.parse(await readFile(join(project, 'node_modules/@svc/sdk/package.json'), 'utf8'));
  expect(version).toBe(VERSION);
  expect((await run('npm', ['test'], { cwd: project })).out).toMatch(/pass 2\b/);
  expect((await svc(['validate'], project)).err).toContain('ok: greeter 0.1.0');
});

test('@svc/sdk and @svc/client install into an empty project and work there', async () => {
  const project = at('empty');
  await mkdir(project);
  await writeFile(join(project, 'package.json'), '{"private":true,"type":"module"}');
  await run('npm', ['install', '--no-audit', at('dist', `svc-sdk-${VERSION}.tgz`), at('dist', `svc-client-${VERSION}.tgz`)], { cwd: project });
  const program = `
    import { createClient } from '@svc/client';
    import { Agent, skill, z } from '@svc/sdk';
    import { testAgent } from '@svc/sdk/testing';
    const api = createClient({ baseUrl: process.env.SVC_API_URL, token: process.env.TOKEN });
    console.log(JSON.stringify([(await api.auth.me()).email, typeof Agent, typeof skill, typeof testAgent, z.int().parse(3)]));`;
  await writeFile(join(project, 'use.js'), program);
  const { out } = await run(process.execPath, ['use.js'], { cwd: project, env: { TOKEN: world.tokens.ben } });
  expect(JSON.parse(out)).toEqual([expect.stringContaining('@'), 'function', 'function', 'function', 3]);
});

test('the wheel installs into an empty environment, and a skill runs there', async () => {
  if (!PYTHON) throw new Error(WITHOUT_PYTHON);
  await run(PYTHON, ['-m', 'venv', at('venv')]);
  const python = at('venv/bin/python');
  // With this machine's own settings of pip.
  const env = { HOME: process.env.HOME ?? folder };
  await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', at('dist', `svc_sdk-${VERSION}-py3-none-any.whl`)], { env });
  const program = `
import asyncio, svc
from svc.testing import TestAgent

class Greeter(svc.Agent):
    name = "greeter"
    description = "Greets people."
    version = "0.1.0"

    @svc.skill(description="Says hello.")
    async def greet(self, ctx: svc.RunContext, name: str) -> str:
        return f"Hello, {name}!"

if __name__ == "__main__":
    done = asyncio.run(TestAgent(Greeter).invoke("greet", name="Ada"))
    print(svc.__version__, done.result)
`;
  await writeFile(at('elsewhere/agent.py'), program);
  expect((await run(python, ['agent.py'])).out).toBe(`${VERSION} Hello, Ada!\n`);
  expect(JSON.parse((await run(python, ['-m', 'svc', 'card', 'agent:Greeter'])).out)).toMatchObject({ name: 'greeter' });
});
