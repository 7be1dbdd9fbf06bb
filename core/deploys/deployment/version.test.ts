import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BuildInput, BuildOutput } from '#drivers/runtime/port.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { tarball } from '#test/support/project.ts';
import { scriptedRuntime } from '#test/support/scripted-runtime.ts';
import { acceptTarball } from './accept.ts';
import { buildDeployment } from './build.ts';
import { getDeployment } from './read.ts';
import { redeploySource } from './redeploy.ts';
import { dequeueDeployment } from './stages.ts';

const MANY = 1_000;
let t: TestContext;
let ada: TestUser;
const asked: BuildInput[] = [];
/** What a host of an earlier release answers. */
let older = false;

beforeAll(async () => {
  t = await testContext();
  ada = await t.user('ada');
  t.ctx.drivers.runtime = {
    ...scriptedRuntime(),
    build: async (input): Promise<BuildOutput> => {
      input.source.destroy();
      asked.push(input);
      return { image: `sha256:${input.build_id}`, size_bytes: 1, cached: false, ...(older ? {} : { runs_on: 'Python 3.13.5' }) };
    },
  };
});
afterAll(() => t.close());

async function deploy(name: string, files: Record<string, string>, more = ''): Promise<string> {
  const source = await tarball({ 'svc.yaml': `name: ${name}\nversion: 1.0.0\nentrypoint: agent:Agent\n${more}`, ...files });
  const form = async function* () {
    yield { kind: 'file' as const, name: 'source', stream: Readable.from(source, { objectMode: false }) };
  };
  return (await acceptTarball(ada, form())).deploy_id;
}

async function build(deployId: string): Promise<BuildInput | undefined> {
  expect(await dequeueDeployment(t.ctx, deployId, MANY)).toBe('moved');
  await buildDeployment(t.ctx, deployId, { retried: false, node: 'local', signal: new AbortController().signal });
  return asked.at(-1);
}

test('a project is built for the version that its files ask for, and the deployment says which it runs on', async () => {
  const id = await deploy('newer', { 'agent.py': '', 'pyproject.toml': '[project]\nrequires-python = ">=3.13"\n' });
  expect((await getDeployment(ada, { name: 'newer', deploy_id: id })).runs_on).toBeNull();
  expect(await build(id)).toMatchObject({ language: 'python', language_version: '3.13' });
  expect((await getDeployment(ada, { name: 'newer', deploy_id: id })).runs_on).toBe('Python 3.13.5');
});

test('svc.yaml decides; without a word it is the default', async () => {
  expect(await build(await deploy('decided', { 'agent.ts': '', 'package.json': '{"engines":{"node":">=24"}}' }, 'node: "26"\n'))).toMatchObject({
    language: 'typescript',
    language_version: '26',
  });
  expect((await build(await deploy('usual', { 'agent.py': '' })))?.language_version).toBeUndefined();
});

test('a version that agents do not run on is refused before anything is built', async () => {
  const before = asked.length;
  const refused = {
    code: 'language_version_unsupported',
    message: 'pyproject.toml: asks for Python <3.10, and agents run on Python 3.11, 3.12, 3.13 and 3.14: change the range',
  };
  await expect(deploy('old', { 'agent.py': '', 'pyproject.toml': '[project]\nrequires-python = "<3.10"\n' })).rejects.toMatchObject(refused);
  await expect(deploy('old', { 'agent.ts': '', '.nvmrc': '18' })).rejects.toMatchObject({ code: 'language_version_unsupported' });
  await expect(deploy('old', { 'agent.py': '' }, 'python: 3.12\n')).rejects.toMatchObject({
    code: 'manifest_invalid',
    message: 'svc.yaml: python: use one of 3.11, 3.12, 3.13, 3.14, in quotes: "3.12"',
  });
  expect(asked).toHaveLength(before);
});

test('a source that was taken in by an earlier release ends its deployment with the same words', async () => {
  const id = await deploy('kept', { 'agent.py': '', '.python-version': '3.12' });
  await t.ctx
    .db('deployments')
    .where({ deploy_id: id })
    .update({ manifest: t.ctx.db.raw(`manifest || '{"python": "3.11"}'`) });
  await t.ctx.drivers.storage.put(
    (await t.ctx.db('deployments').where({ deploy_id: id }).first('source_key'))?.source_key ?? '',
    Readable.from(await tarball({ 'agent.py': '', 'pyproject.toml': '[project]\nrequires-python = ">=3.12"\n' }), { objectMode: false }),
  );
  await expect(build(id)).rejects.toMatchObject({
    name: 'DeploymentFault',
    code: 'language_version_unsupported',
    message: /^svc\.yaml: asks for Python 3\.11/,
  });
});

test('a host of an earlier release, which would take its own version in silence, is not believed', async () => {
  older = true;
  try {
    await expect(build(await deploy('early', { 'agent.py': '', '.python-version': '3.14' }))).rejects.toMatchObject({ code: 'language_version_unsupported' });
    await build(await deploy('fine', { 'agent.py': '' }));
  } finally {
    older = false;
  }
});

test('what is deployed again without a build says the same', async () => {
  const id = await deploy('again', { 'agent.py': '', '.python-version': '3.13' });
  await build(id);
  await t.ctx.db('deployments').where({ deploy_id: id }).update({ state: 'live' });
  const { deploy_id } = await redeploySource(ada, { name: 'again', deploy_id: id });
  expect((await getDeployment(ada, { name: 'again', deploy_id })).runs_on).toBe('Python 3.13.5');
});
