// svc openapi preview and generate: from a file, standard input and an address that only this machine
// reaches. The platform's preview is the real one.
import { createServer } from 'node:http';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { serveForTest } from '#api/http/test/serve.ts';
import { fromOpenApi } from '#contract/imports/from-openapi.ts';
import { previewOpenApi } from '#core/imports/openapi/preview.ts';
import type { GenerateInput } from '#core/imports/openapi/description.ts';
import { library } from '#core/imports/openapi/test/library.ts';
import { cites } from '#test/spec/verifies.ts';
import { EXIT } from '../../lib/exit-codes.ts';
import { piped, signedIn, toolAt } from '../../test/signed-in.ts';

const asked: GenerateInput[] = [];
const { tool } = await toolAt(
  await serveForTest(
    { agents: fromOpenApi },
    {
      agents: {
        openapiPreview: (ctx, { body }) => {
          asked.push(body);
          return previewOpenApi(ctx, body);
        },
        fromOpenapi: async (ctx, { body }) => {
          asked.push(body);
          const { name, mode, files } = await previewOpenApi(ctx, body);
          const queued = { name, deploy_id: 'dep_1', job_id: 'job_1', number: 1, state: 'queued' as const, url: 'http://lib.localhost', source_sha256: 'x' };
          return { ...queued, regenerated: false, mode, skills: ['get_book'], files: files.map(({ path }) => path), setup_fields: ['key'], warnings: [] };
        },
      },
    },
  ),
);
let folder: string;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-described-'));
  file = join(folder, 'library.json');
  await writeFile(file, JSON.stringify(library));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('preview shows tools, sizes, setup fields and files', cites('cli.openapi_preview'), async () => {
  const shown = await tool.run(['openapi', 'preview', file, '--name', 'lib'], signedIn);
  expect(shown).toMatchObject({ code: 0 });
  expect(shown.out).toMatch(/lib: Library .* at https:\/\/api\.library\.test\/v1\n9 of 9 operations, one skill each\nA client reads .* tokens/);
  expect(shown.out).toMatch(/delete_book +DELETE +\/books\/\{id\} .*asks first/);
  expect(shown.out).toMatch(/key +no +header X-Key +api\.library\.test/);
  expect(shown.out).toMatch(/agent\.ts +\d+/);
  const json = await tool.run(['openapi', 'preview', '-', '--method', 'get', '--tag', 'books', '--json'], piped(JSON.stringify(library)));
  expect(JSON.parse(json.out)).toMatchObject({ operations_chosen: 1, tools: [{ name: 'get_book' }] });
});

test('an address that only this machine reaches is read here and sent along', async () => {
  const server = createServer((_request, response) => response.end(JSON.stringify(library)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/openapi.json`;
  expect(await tool.run(['openapi', 'preview', url], signedIn)).toMatchObject({ code: 0 });
  expect(asked.at(-1)).toMatchObject({ url, document: JSON.stringify(library) });
  const open = await tool.run(['openapi', 'preview', '-'], piped('{"openapi":"3.1.0","info":{"title":"T"},"servers":[{"url":"http://a.test"}],"paths":{}}'));
  expect(open.err).toMatch(/give an https address as --base-url[\s\S]*name how: --auth bearer, basic/);
});

test('generate deploys with every option, or writes the source', cites('cli.openapi_generate'), async () => {
  const options = [
    '-n',
    'lib',
    '-d',
    'Lends',
    '--base-url',
    'https://b.test',
    '--private',
    '--pin',
    'tag:books',
    '--pin',
    'get_cover',
    '--mode',
    'search',
    '--auth',
    'bearer',
  ];
  const deployed = await tool.run(['openapi', 'generate', file, ...options, '--no-wait', '--json'], signedIn);
  expect(JSON.parse(deployed.out)).toMatchObject({ name: 'lib', state: 'queued' });
  expect(asked.at(-1)).toMatchObject({
    name: 'lib',
    description: 'Lends',
    base_url: 'https://b.test',
    public: false,
    mode: 'search',
    auth: 'bearer',
    pins: { tags: ['books'], names: ['get_cover'] },
  });
  const out = join(folder, 'written');
  const written = await tool.run(['openapi', 'generate', file, '--out', out], signedIn);
  expect(written).toMatchObject({ code: 0, err: expect.stringContaining(`svc test --project ${out}`) });
  expect(await readFile(join(out, 'agent.ts'), 'utf8')).toContain('get_book = api.operation(');
  const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(await readFile(join(out, 'package.json'), 'utf8'));
  expect(await readFile(join(out, String(dependencies['@svc/sdk']).replace('file:', '')))).toBeInstanceOf(Buffer);
  expect(await tool.run(['openapi', 'generate', file, '--out', out], signedIn)).toMatchObject({ code: EXIT.usage, err: expect.stringContaining('not empty') });
});

test.each([
  [['openapi', 'preview', '/nowhere.json'], /no file \/nowhere\.json/],
  [['openapi', 'preview', '-', '--method', 'FETCH'], /--method must be one of/],
  [['openapi', 'generate', '-', '--mode', 'some'], /--mode must be one of/],
  [['openapi', 'generate', '-', '--public', '--private'], /one of --public and --private/],
])('%j says what to do', async (argv, message) => {
  const ran = await tool.run(argv, piped('{}'));
  expect([ran.code, ran.err]).toEqual([EXIT.usage, expect.stringMatching(message)]);
});
