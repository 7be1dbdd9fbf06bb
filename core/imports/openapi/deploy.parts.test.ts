// From a description to a queued deployment, again with edits, and what is refused: real database, git and
// storage.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { contract } from '#contract/index.ts';
import { ERRORS } from '#contract/errors/index.ts';
import { gitSourceControl } from '#drivers/scm/git.ts';
import type { SourceControl } from '#drivers/scm/port.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { verifies } from '#test/spec/verifies.ts';
import { acceptFiles } from '../../deploys/deployment/accept-files.ts';
import { filesOfCommit } from '../../agents/source/commit-files.ts';
import { deployOpenApi } from './deploy.ts';
import { previewOpenApi } from './preview.ts';
import { library } from './test/library.ts';

let t: TestContext;
let ada: TestUser;
let ben: TestUser;
beforeAll(async () => {
  t = await testContext();
  ada = await t.user('ada');
  ben = await t.user('ben');
});
afterAll(() => t.close());

const wish = (name: string, document: object = library) => ({ name, document: JSON.stringify(document), mode: 'auto' as const });
const without = (path: keyof typeof library.paths) => ({
  ...library,
  paths: Object.fromEntries(Object.entries(library.paths).filter(([one]) => one !== path)),
});

async function sourceOf(user: TestUser, name: string): Promise<Map<string, string>> {
  const newest = await t.ctx
    .db('deployments as d')
    .join('agents as a', 'a.agent_id', 'd.agent_id')
    .where({ 'a.name': name })
    .orderBy('d.number', 'desc')
    .first('d.source_commit');
  const files = await filesOfCommit(t.ctx, `${user.actor.user_id}/${name}`, newest?.source_commit ?? '');
  return new Map(files.map(({ path, content }) => [path, Buffer.from(content).toString()]));
}

verifies('agents.openapiPreview', 'the preview shows tools, sizes, setup fields and files, and stores nothing', async () => {
  const before = await t.ctx.db('audit_log').count('* as n').first();
  const preview = await previewOpenApi(ada, wish('looked-at'));
  expect(preview).toMatchObject({ name: 'looked-at', mode: 'each', base_url: 'https://api.library.test/v1', operations_chosen: 9 });
  expect(preview.tools.find(({ name }) => name === 'delete_book')).toMatchObject({ destructive: true, approval: true, read_only: false });
  expect(preview.setup_fields).toContainEqual({
    name: 'key',
    title: 'Key for the header X-Key',
    required: false,
    secret: true,
    sent_as: 'header X-Key',
    hosts: ['api.library.test'],
  });
  expect(preview.estimated_tokens).toBeGreaterThan(500);
  expect(preview.files.map(({ path }) => path)).toEqual([
    '.gitignore',
    'README.md',
    'agent.ts',
    'package.json',
    'schemas.ts',
    'svc.yaml',
    'test/agent.test.ts',
    'tsconfig.json',
  ]);
  expect(await t.ctx.db('agents').where({ name: 'looked-at' })).toEqual([]);
  expect(await t.ctx.db('audit_log').count('* as n').first()).toEqual(before);
});

verifies('agents.fromOpenapi', 'generating again keeps edits, takes what is new, and refuses where both changed', async () => {
  const first = await deployOpenApi(ada, wish('books', without('/covers/{id}')));
  expect(first).toMatchObject({ name: 'books', number: 1, state: 'queued', regenerated: false, mode: 'each' });
  const edited = await sourceOf(ada, 'books');
  edited.set('agent.ts', (edited.get('agent.ts') ?? '').replace('concurrency = 8', 'concurrency = 2'));
  edited.set('notes.md', 'Mine.\n');
  await acceptFiles(ada, { files: [...edited].map(([path, content]) => ({ path, content })), message: 'Edit' });
  const again = await deployOpenApi(ada, wish('books'));
  expect(again).toMatchObject({ number: 3, regenerated: true });
  const merged = await sourceOf(ada, 'books');
  expect(merged.get('agent.ts')).toContain('concurrency = 2');
  expect(merged.get('agent.ts')).toContain('upload_cover = api.operation(');
  expect(merged.get('notes.md')).toBe('Mine.\n');
  merged.set('agent.ts', (merged.get('agent.ts') ?? '').replace("description: 'One book'", "description: 'A book of mine'"));
  await acceptFiles(ada, { files: [...merged].map(([path, content]) => ({ path, content })), message: 'Edit' });
  const renamed = JSON.parse(JSON.stringify(library).replace('"One book"', '"One printed book"'));
  await expect(deployOpenApi(ada, wish('books', renamed))).rejects.toMatchObject({ code: 'source_conflict', message: expect.stringContaining('agent.ts') });
  expect((await sourceOf(ada, 'books')).get('agent.ts')).toContain('A book of mine');
});

test('another account’s name, an agent of other source, no server and no description are refused', async () => {
  await deployOpenApi(ada, wish('taken'));
  await expect(deployOpenApi(ben, wish('taken'))).rejects.toMatchObject({ code: 'name_taken' });
  const own = [...(await sourceOf(ada, 'taken'))].map(([path, content]) => ({ path, content: content.replaceAll('taken', 'own').replaceAll('Taken', 'Own') }));
  await acceptFiles(ben, { files: own, message: 'Mine' });
  await expect(deployOpenApi(ben, wish('own'))).rejects.toMatchObject({ code: 'agent_not_generated' });
  await expect(deployOpenApi(ada, wish('nowhere', { ...library, servers: [{ url: '/v1' }] }))).rejects.toMatchObject({ code: 'api_server_missing' });
  await expect(previewOpenApi(ada, { name: 'x', document: 'hello', mode: 'auto' })).rejects.toMatchObject({ code: 'description_invalid' });
  for (const url of ['http://169.254.169.254/latest', 'https://localhost/x', 'https://[::1]/x', 'https://10.0.0.1/x', 'https://2130706433/'])
    await expect(previewOpenApi(ada, { url, mode: 'auto' }), url).rejects.toMatchObject({
      code: 'description_unread',
      message: expect.not.stringContaining('127.0.0.1'),
    });
});

/**
 * Source hosting that cannot take a commit: where its repositories are there is a file. `after`: so many
 * commits are taken first.
 */
function hostingDown(user: TestUser, after = 0): TestUser {
  const down = gitSourceControl({ root: join(t.stateDir, 'secrets', 'platform.key') });
  const { scm } = user.drivers;
  let taken = 0;
  const at = (): SourceControl => (taken < after ? scm : down);
  const half: SourceControl = {
    ...scm,
    commitTree: (i) =>
      at()
        .commitTree(i)
        .finally(() => (taken += 1)),
    archive: (i) => at().archive(i),
  };
  return { ...user, drivers: { ...user.drivers, scm: half } };
}

verifies('agents.fromOpenapi', 'where source hosting is down nothing is deployed, and the answer is one that the route declares', async () => {
  await deployOpenApi(ada, wish('steady', without('/covers/{id}')));
  const refused = { code: 'source_not_committed', message: expect.stringContaining('nothing was deployed') };
  await expect(deployOpenApi(hostingDown(ada), wish('unhosted'))).rejects.toMatchObject(refused);
  await expect(deployOpenApi(hostingDown(ada), wish('steady'))).rejects.toMatchObject(refused);
  expect(contract.agents.fromOpenapi.errors).toContain(ERRORS.source_not_committed.status);
  expect(contract.agents.compose.errors).toContain(ERRORS.source_not_committed.status);
  expect(await t.ctx.db('agents').where({ name: 'unhosted' })).toEqual([]);
  expect(await t.ctx.db('deployments as d').join('agents as a', 'a.agent_id', 'd.agent_id').where({ 'a.name': 'steady' }).count('* as n').first()).toEqual({
    n: 1,
  });
  expect(await deployOpenApi(ada, wish('steady'))).toMatchObject({ number: 2, regenerated: true });
});

test('an agent whose generation could not be kept beside its source is generated again all the same', async () => {
  expect(await deployOpenApi(hostingDown(ada, 1), wish('kept', without('/covers/{id}')))).toMatchObject({ number: 1 });
  const edited = await sourceOf(ada, 'kept');
  edited.set('agent.ts', (edited.get('agent.ts') ?? '').replace('concurrency = 8', 'concurrency = 3'));
  await acceptFiles(ada, { files: [...edited].map(([path, content]) => ({ path, content })), message: 'Edit' });
  expect(await deployOpenApi(ada, wish('kept'))).toMatchObject({ regenerated: true });
  expect((await sourceOf(ada, 'kept')).get('agent.ts')).toMatch(/concurrency = 3[\s\S]*upload_cover = api\.operation\(/);
});

test('the source is formatted and its types are right', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-generated-'));
  try {
    const { files } = await previewOpenApi(ada, wish('formatted'));
    for (const { path, content } of files) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content ?? '');
    }
    const repository = fileURLToPath(new URL('../../../', import.meta.url));
    await writeFile(join(folder, '.oxfmtrc.json'), '{"printWidth":120,"singleQuote":true}');
    const checked = await promisify(execFile)(join(repository, 'node_modules/.bin/oxfmt'), ['--check', 'agent.ts', 'schemas.ts', 'test/agent.test.ts'], {
      cwd: folder,
    }).catch((error: { stdout: string }) => error);
    expect(checked.stdout).not.toMatch(/agent\.ts|schemas\.ts/);
    const paths = { '@svc/sdk': [join(repository, 'sdk/typescript/index.ts')], '@svc/sdk/testing': [join(repository, 'sdk/typescript/testing.ts')] };
    const compilerOptions = { target: 'es2024', lib: ['es2024'], module: 'nodenext', strict: true, noUncheckedIndexedAccess: true, erasableSyntaxOnly: true, verbatimModuleSyntax: true, allowImportingTsExtensions: true, skipLibCheck: true, noEmit: true, types: ['node'], typeRoots: [join(repository, 'node_modules/@types')], paths }; // prettier-ignore
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['agent.ts', 'test/agent.test.ts'] }));
    await promisify(execFile)(join(repository, 'node_modules/.bin/tsc'), ['-p', folder]).catch(({ stdout }: { stdout: string }) => expect.fail(stdout));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
