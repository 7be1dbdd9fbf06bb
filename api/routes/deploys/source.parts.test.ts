// An agent's source over git and over the editor's file API, by git's own client. What a deployment does is
// written into its rows here; its workflow has tests of its own.
import { once } from 'node:events';
import { mkdtemp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { clientOf } from '#contract/client.ts';
import { sourceEditor } from '#contract/deploys/source-editor.ts';
import { appendEvents } from '#core/jobs/append-event.ts';
import { deployForgottenPushes } from '#core/deploys/repository/pending.ts';
import { sourceRepository } from '#core/agents/agent/repository.ts';
import { checkCard } from '#core/deploys/deployment/card.ts';
import { advance, endDeployment, goLive, dequeueDeployment } from '#core/deploys/deployment/stages.ts';
import { hashSecret } from '#core/kernel/secret.ts';
import { newId } from '#core/kernel/ids.ts';
import { clientEnv, gitIn, startGit } from '#drivers/scm/test/serve-git.ts';
import { verifies } from '#test/spec/verifies.ts';
import { countedProxy } from '#test/support/counted-proxy.ts';
import { greeterFiles } from '#test/support/project.ts';
import { createWorld, type World } from '#test/api/world.ts';

let world: World;
let box: string;
let count = 0;
beforeAll(async () => {
  world = await createWorld();
  box = await mkdtemp(join(tmpdir(), 'svc-source-'));
});
afterAll(async () => {
  await world.close();
  await rm(box, { recursive: true, force: true });
});

const ada = () => world.as('ada');
const editorOf = (token: string) => clientOf({ sourceEditor }, { baseUrl: world.url, token }).sourceEditor;
const tokenOf = async (name: string, mode: 'read' | 'write' = 'write') =>
  (await editorOf(world.tokens.ada).createToken({ params: { name }, body: { mode } })).token;
const address = (name: string, token: string): string => `${world.url.replace('://', `://x:${token}@`)}/git/${name}.git`;

async function newAgent(): Promise<string> {
  return (await ada().agents.fromSource({ body: { name: `src-${(count += 1)}` } })).name;
}

async function write(folder: string, files: Record<string, string>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

async function commit(folder: string, files: Record<string, string>): Promise<string> {
  await write(folder, files);
  await gitIn(folder, ['add', '-A']);
  await gitIn(folder, ['commit', '-q', '-m', 'change', '--allow-empty']);
  return (await gitIn(folder, ['rev-parse', 'HEAD'])).out.trim();
}

/** A clone with the given project committed on main. */
async function clone(name: string, files: Record<string, string> = greeterFiles(name)): Promise<{ folder: string; head: string }> {
  const folder = join(box, `clone-${(count += 1)}`);
  const cloned = await gitIn(box, ['clone', '-q', address(name, await tokenOf(name)), folder]);
  expect(cloned.code, cloned.err).toBe(0);
  return { folder, head: await commit(folder, files) };
}

const push = (folder: string, ...args: string[]) => gitIn(folder, ['push', 'origin', ...(args.length === 0 ? ['main'] : args)]);

/** Takes the agent's next deployment to its end, as its workflow would. */
async function deployNext(name: string, end: 'live' | 'failed'): Promise<void> {
  const { ctx } = world;
  const row = await vi.waitFor(
    async () => {
      const queued = await ctx
        .db('deployments as d')
        .join('agents as a', 'a.agent_id', 'd.agent_id')
        .where({ 'a.name': name, 'd.state': 'queued' })
        .first('d.deploy_id', 'd.job_id', 'd.agent_id', 'd.manifest');
      return queued ?? Promise.reject(new Error(`no deployment of ${name} is queued`));
    },
    { interval: 20 },
  );
  const { deploy_id, job_id, agent_id } = row;
  await dequeueDeployment(ctx, deploy_id, 1000);
  await appendEvents(ctx.db, job_id, [{ kind: 'log', payload: { stream: 'stdout', text: 'installing \u001b[31mred', at: 1 } }]);
  if (end === 'failed') return endDeployment(ctx, deploy_id, 'failed', { code: 'build_failed', message: 'agent.ts:3: unexpected end' });
  const card = { name, description: '', version: '1.0.0', skills: [{ id: 'greet', name: 'greet', input_schema: {}, output_schema: {} }] };
  await advance(ctx, deploy_id, 'building', 'starting', { image: 'sha256:1', image_bytes: 1 });
  const instance_id = newId('ins');
  await ctx.db('instances').insert({ instance_id, deploy_id, agent_id, node: 'local', state: 'starting', api_key_sealed: 'x' });
  await advance(ctx, deploy_id, 'starting', 'verifying');
  await goLive(ctx, deploy_id, instance_id, checkCard(card, { name, version: '1.0.0', entrypoint: 'agent:Greeter' }).card);
}

verifies(['agents.fromSource', 'agents.source'], 'gives an empty repository, which a push fills and deploys, with the build log as its output', async () => {
  const made = await ada().agents.fromSource({ body: { name: 'pushed', description: 'by git' } });
  expect(made).toMatchObject({ name: 'pushed', default_branch: 'main', clone_url: 'http://localhost:8080/git/pushed.git' });
  expect(await ada().agents.source({ params: { name: 'pushed' } })).toMatchObject({
    head: null,
    live_commit: null,
    files: { count: 0, bytes: 0, top_level: [] },
  });
  await expect(ada().agents.fromSource({ body: { name: 'pushed' } })).rejects.toMatchObject({ status: 409, code: 'agent_exists' });
  await expect(world.as('ben').agents.fromSource({ body: { name: 'pushed' } })).rejects.toMatchObject({ status: 409, code: 'name_taken' });
  const { folder, head } = await clone('pushed');
  const [ran] = await Promise.all([push(folder), deployNext('pushed', 'live')]);
  expect(ran.code, ran.err).toBe(0);
  const said = ran.err.split('\n').flatMap((line) => (line.startsWith('remote:') ? [line.slice(8).trimEnd()] : []));
  expect(said).toEqual([
    `Deploying pushed at ${head.slice(0, 12)}`,
    '● building',
    '  installing  [31mred',
    '● starting',
    '● verifying',
    '● live',
    'Live: pushed 1.0.0 at http://pushed.localhost:8080',
  ]);
  const source = await ada().agents.source({ params: { name: 'pushed' } });
  expect(source).toMatchObject({ head, live_commit: head, files: { count: 3, top_level: ['agent.ts', 'package.json', 'svc.yaml'] } });
  const [newest] = await ada().agents.deployments({ params: { name: 'pushed' } });
  expect(newest).toMatchObject({ state: 'live', source_commit: head });
  const noted = await world.ctx.db('audit_log').whereIn('action', ['source.push', 'agent.deploy', 'source_token.create']);
  expect(new Set(noted.map(({ action }) => action))).toEqual(new Set(['source.push', 'agent.deploy', 'source_token.create']));
});

describe('a push', () => {
  test('is stored though its build fails, or nothing in it can be deployed', async () => {
    const name = await newAgent();
    const { folder, head } = await clone(name);
    const [ran] = await Promise.all([push(folder), deployNext(name, 'failed')]);
    expect(ran.code).toBe(0);
    expect(ran.err).toContain('remote: Not deployed: agent.ts:3: unexpected end');
    expect(await ada().agents.source({ params: { name } })).toMatchObject({ head, live_commit: null });
    await rm(join(folder, 'svc.yaml'));
    const empty = await commit(folder, {});
    const second = await push(folder);
    expect([second.code, second.err]).toEqual([0, expect.stringContaining('remote: Not deployed: The project has no svc.yaml at its top')]);
    expect(await ada().agents.source({ params: { name } })).toMatchObject({ head: empty });
    await commit(folder, greeterFiles('another-name'));
    expect((await push(folder)).err).toContain(`its svc.yaml names another-name: use one name in both`);
    expect(await ada().agents.deployments({ params: { name } })).toHaveLength(1);
  });

  test('of what no project may hold is refused before it is stored', async () => {
    const name = await newAgent();
    const { folder } = await clone(name);
    await symlink('/etc/passwd', join(folder, 'link'));
    await commit(folder, {});
    const linked = await push(folder);
    expect([linked.code, linked.err]).toEqual([1, expect.stringContaining('remote:   "link": Links are not accepted')]);
    await rm(join(folder, 'link'));
    await commit(folder, {});
    await gitIn(folder, ['update-index', '--add', '--cacheinfo', `160000,${'a'.repeat(40)},sub`]);
    await gitIn(folder, ['commit', '-q', '-m', 'sub']);
    const sub = await push(folder);
    expect([sub.code, sub.err]).toEqual([1, expect.stringContaining('"sub": Submodules are not accepted')]);
    await gitIn(folder, ['reset', '-q', '--hard', 'HEAD~1']);
    await commit(folder, { 'A.txt': '1', 'a.txt': '2' });
    expect((await push(folder)).err).toContain('Two entries have the same path');
    expect((await push(folder, 'HEAD:refs/notes/x')).err).toContain('only branches and tags');
    expect(await ada().agents.source({ params: { name } })).toMatchObject({ head: null });
  });

  test('whose process ended before its deployment was queued is deployed by housekeeping, once', async () => {
    const name = await newAgent();
    const { folder, head } = await clone(name);
    const agent = await world.ctx.db('agents').where({ name }).first('agent_id', 'owner_id');
    const { agent_id = '', owner_id = '' } = agent ?? {};
    await gitIn(folder, ['push', '-q', address(name, await tokenOf(name)), 'main:side']);
    // As after kill -9 between the branch and the queue.
    const repository = join(String((await world.ctx.drivers.scratch()).split('/scratch')[0]), 'git', `${sourceRepository(owner_id, name)}.git`);
    await gitIn(box, ['--git-dir', repository, 'update-ref', 'refs/heads/main', head]);
    const row = { agent_id, commit_id: head, token_name: 'sct_x', pushed_at: new Date(Date.now() - 600_000) };
    await world.ctx.db('source_pushes').insert(row);
    // Two processes come to it at once, as a push that is slow and housekeeping may.
    await Promise.all([deployForgottenPushes(world.ctx), deployForgottenPushes(world.ctx)]);
    expect(await ada().agents.deployments({ params: { name } })).toMatchObject([{ source_commit: head }]);
    expect(await deployForgottenPushes(world.ctx)).toBe(0);
    // What the branch does not have was refused, or is about to be there.
    await world.ctx.db('source_pushes').insert({ ...row, commit_id: 'a'.repeat(40), pushed_at: new Date(Date.now() - 60_000) });
    expect(await deployForgottenPushes(world.ctx)).toBe(0);
    expect(await world.ctx.db('source_pushes')).toHaveLength(1);
    await world.ctx.db('source_pushes').update({ pushed_at: new Date(Date.now() - 600_000) });
    expect(await deployForgottenPushes(world.ctx)).toBe(0);
    expect(await world.ctx.db('source_pushes')).toEqual([]);
  });

  test('to another branch is stored, and says what deploys', async () => {
    const name = await newAgent();
    const { folder } = await clone(name);
    const ran = await push(folder, 'main:feature');
    expect([ran.code, ran.err]).toEqual([0, expect.stringContaining('remote: Stored. A push to main deploys: git push origin HEAD:main')]);
    expect(await ada().agents.deployments({ params: { name } })).toEqual([]);
  });

  test('that is killed in the middle leaves a sound repository, and the next one works', async () => {
    const name = await newAgent();
    const big = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`f${n}`, newId('job').repeat(200)]));
    const { folder } = await clone(name, { ...greeterFiles(name), ...big });
    const token = await tokenOf(name);
    // At its first byte, before it may, in the middle of what it sends, and near the end.
    for (const bytes of [1, 400, 5_000, 10_000, 20_000]) {
      const proxy = await countedProxy(Number(new URL(world.url).port), bytes, () => child.kill('SIGKILL'));
      const to = address(name, token).replace(/:\d+\/git/, `:${proxy.port}/git`);
      const child = startGit(folder, ['push', to, 'main:refs/heads/killed']);
      expect(await once(child, 'exit'), `after ${bytes} bytes`).toEqual([null, 'SIGKILL']);
      proxy.close();
    }
    const [ran] = await Promise.all([push(folder), deployNext(name, 'live')]);
    expect(ran.code, ran.err).toBe(0);
    const root = join(String((await world.ctx.drivers.scratch()).split('/scratch')[0]), 'git');
    const owner = await world.ctx.db('agents').where({ name }).first('owner_id');
    const checked = await gitIn(box, ['--git-dir', join(root, `${sourceRepository(owner?.owner_id ?? '', name)}.git`), 'fsck', '--full', '--strict']);
    expect(checked.code, checked.err).toBe(0);
  });

  test('of a pointer to a large file keeps the pointer; the large-file service says what to do', async () => {
    const response = await fetch(`${world.url}/git/pushed.git/info/lfs/objects/batch`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`x:${await tokenOf('pushed')}`).toString('base64')}` },
    });
    expect([response.status, await response.json()]).toEqual([404, { message: expect.stringContaining('git lfs') }]);
  });
});

describe('who may', () => {
  const ask = async (name: string, password: string | undefined, path = 'info/refs?service=git-upload-pack', init: RequestInit = {}) => {
    const authorization = password === undefined ? {} : { authorization: `Basic ${Buffer.from(`x:${password}`).toString('base64')}` };
    const response = await fetch(`${world.url}/git/${name}.git/${path}`, { ...init, headers: authorization });
    const text = await response.text();
    return { status: response.status, challenge: response.headers.get('www-authenticate'), type: response.headers.get('content-type'), text };
  };

  test('refuses callers without a token, or with a token of another repository', async () => {
    const [mine, other] = [await newAgent(), await newAgent()];
    await world.as('ben').agents.register({ body: { name: 'bens-own' } });
    const token = await tokenOf(mine);
    expect(await ask(mine, token)).toMatchObject({ status: 200, type: 'application/x-git-upload-pack-advertisement' });
    for (const wrong of [undefined, '', 'svc_git_forged', world.tokens.ada, world.tokens.agent, world.tokens.platform])
      for (const name of [mine, 'bens-own', 'no-such-agent'])
        expect(await ask(name, wrong), name).toMatchObject({ status: 401, challenge: expect.stringContaining('Basic') });
    expect(await ask(other, token)).toMatchObject({ status: 403, challenge: null, text: expect.stringContaining(mine) });
    expect(await ask('bens-own', token)).toMatchObject({ status: 404, text: 'There is no agent bens-own that you can see\n' });
    expect(await ask('no-such-agent', token)).toMatchObject({ status: 404 });
    expect(await ask('../../etc', token)).toMatchObject({ status: 404 });
    await expect(editorOf(world.tokens.ben).createToken({ params: { name: mine }, body: { mode: 'read' } })).rejects.toMatchObject({ status: 404 });
    await expect(editorOf(token).createToken({ params: { name: mine }, body: { mode: 'read' } })).rejects.toMatchObject({ status: 403 });
    // It opens nothing else.
    for (const path of ['/v1/me', `/v1/agents/${mine}`, `/v1/agents/${mine}/source`])
      expect((await fetch(`${world.url}${path}`, { headers: { authorization: `Bearer ${token}` } })).status, path).toBe(403);
    expect(world.logs.join('')).not.toContain(token);
    expect(JSON.stringify([await world.ctx.db('source_tokens'), await world.ctx.db('audit_log')])).not.toContain(token);
  });

  test('a token to read does not push, not even past the first question', async () => {
    const name = await newAgent();
    const token = await tokenOf(name, 'read');
    expect(await ask(name, token, 'info/refs?service=git-receive-pack')).toMatchObject({ status: 403, text: expect.stringContaining('mode write') });
    expect(await ask(name, token, 'git-receive-pack', { method: 'POST', body: '0000' })).toMatchObject({ status: 403 });
    const { folder } = await clone(name);
    expect((await gitIn(folder, ['push', address(name, token), 'main'])).code).not.toBe(0);
  });

  test('an expired token and one of a deleted agent open nothing', async () => {
    const name = await newAgent();
    const [old, gone] = [await tokenOf(name), await tokenOf(name)];
    await world.ctx
      .db('source_tokens')
      .where({ token_hash: hashSecret(old) })
      .update({ expires_at: new Date(Date.now() - 1) });
    expect(await ask(name, old)).toMatchObject({ status: 401 });
    expect(await ask(name, gone)).toMatchObject({ status: 200 });
    await ada().agents.delete({ params: { name } });
    expect(await ask(name, gone)).toMatchObject({ status: 401 });
  });

  test('git asks for its credentials first, and says why it was refused', async () => {
    const ran = await gitIn(box, ['clone', `${world.url}/git/pushed.git`, join(box, 'anonymous')], { ...clientEnv });
    expect(ran.code).not.toBe(0);
    expect(ran.err).toMatch(/could not read Username|terminal prompts disabled/);
  });
});

verifies(['platform.createScmToken', 'platform.releaseScmToken'], 'are for one repository, short, noted by fingerprint, and released twice', async () => {
  const name = await newAgent();
  const owner = (await world.ctx.db('agents').where({ name }).first('owner_id'))?.owner_id ?? '';
  const before = Date.now();
  const made = await world.as('platform').platform.createScmToken({ body: { owner, repository: name } });
  expect(made).toMatchObject({ owner, repository: name, mode: 'read', token_name: expect.stringMatching(/^sct_/), token: expect.stringMatching(/^svc_git_/) });
  expect(Date.parse(made.expires_at)).toBeGreaterThanOrEqual(before + 900_000);
  expect(Date.parse(made.expires_at)).toBeLessThanOrEqual(Date.now() + 900_000);
  const noted = await world.ctx.db('audit_log').where({ action: 'source_token.create', target_id: made.token_name }).first();
  expect(noted?.details).toMatchObject({ fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/), mode: 'read', holder: 'service' });
  expect(JSON.stringify(noted)).not.toContain(made.token);
  const works = async () => (await gitIn(box, ['ls-remote', address(name, made.token)])).code === 0;
  expect(await works()).toBe(true);
  const release = () => world.as('platform').platform.releaseScmToken({ params: { token_name: made.token_name } });
  await release();
  await release();
  expect(await works()).toBe(false);
  expect(await world.ctx.db('audit_log').where({ action: 'source_token.release', target_id: made.token_name })).toHaveLength(1);
  for (const body of [
    { owner: 'usr_none', repository: name },
    { owner, repository: 'no-such-agent' },
  ])
    await expect(world.as('platform').platform.createScmToken({ body })).rejects.toMatchObject({ status: 404 });
});

verifies(
  ['agents.codeEditor', 'agents.enableCodeEditor', 'agents.disableCodeEditor'],
  'give a browser a token and a file API, and take them away',
  async () => {
    const name = await newAgent();
    await clone(name);
    const params = { name };
    expect(await ada().agents.codeEditor({ params })).toMatchObject({ enabled: false, available: true, token: null });
    expect(await ada().agents.enableCodeEditor({ params })).toMatchObject({ name, code_editor: true });
    const { token, files_url } = await ada().agents.codeEditor({ params });
    expect(files_url).toBe(`http://localhost:8080/source/v1/agents/${name}/files`);
    const editor = editorOf(token ?? '');
    expect(await editor.files({ params })).toEqual({ commit: null, files: [] });
    const files = greeterFiles(name);
    const first = await editor.save({
      params,
      body: { message: 'First', changes: Object.entries(files).map(([path, content]) => ({ path, content, blob: null })) },
    });
    expect(first).toMatchObject({ parent: null, files: expect.arrayContaining([{ path: 'svc.yaml', blob: expect.stringMatching(/^[0-9a-f]{40}$/) }]) });
    const saved = await world.ctx.db('audit_log').where({ action: 'source.save' }).whereRaw(`details->>'commit' = ?`, [first.commit]);
    expect(saved).toMatchObject([{ details: { name, paths: first.files.map(({ path }) => path) } }]);
    const listed = await editor.files({ params });
    expect(listed.files.map(({ path, blob }) => [path, blob])).toEqual(first.files.map(({ path, blob }) => [path, blob]).toSorted());
    const file = await editor.file({ params: { ...params, path: 'agent.ts' } });
    expect(file).toMatchObject({ commit: first.commit, encoding: 'utf-8', content: files['agent.ts'] });

    // Somebody pushes meanwhile: other files are saved on top, the same file is a conflict, and nothing is
    // lost.
    const { folder } = await clone(name, {});
    await gitIn(folder, ['pull', '-q', 'origin', 'main', '--rebase']);
    await commit(folder, { 'agent.ts': `${files['agent.ts']}\n// pushed` });
    const [ran] = await Promise.all([push(folder), deployNext(name, 'live')]);
    expect(ran.code, ran.err).toBe(0);
    const readme = { path: 'docs/read me.md', content: Buffer.from([0xff, 0]).toString('base64'), encoding: 'base64' as const, blob: null };
    const second = await editor.save({ params, body: { message: 'Docs', changes: [readme] } });
    expect(second.parent).not.toBe(first.commit);
    expect(await editor.file({ params: { ...params, path: 'docs/read me.md' } })).toMatchObject({ encoding: 'base64', content: readme.content });
    const stale = { path: 'agent.ts', content: 'mine', blob: file.blob };
    const refused = editor.save({ params, body: { message: 'Mine', changes: [stale] } });
    await expect(refused).rejects.toMatchObject({ status: 409, code: 'source_changed', detail: { paths: ['agent.ts'], head: second.commit } });
    expect((await editor.file({ params: { ...params, path: 'agent.ts' } })).content).toContain('// pushed');

    // What could not be deployed is not saved.
    for (const [path, code] of [['../x', 'source_path_escape'], ['.git/config', 'source_git_folder'], ['AGENT.ts', 'source_duplicate_path'], ['agent.ts/x', 'source_duplicate_path']]) // prettier-ignore
    await expect(editor.save({ params, body: { message: 'x', changes: [{ path: path ?? '', content: '', blob: null }] } }), path).rejects.toMatchObject({ status: 400, code }); // prettier-ignore
    await expect(editor.file({ params: { ...params, path: 'none.txt' } })).rejects.toMatchObject({ status: 404, code: 'source_file_not_found' });
    await expect(editor.files({ params, query: { commit: 'a'.repeat(40) } })).rejects.toMatchObject({ status: 404, code: 'commit_not_found' });

    // Several people save at once, each another file: all are there.
    await Promise.all(
      Array.from({ length: 4 }, async (_, n) => editor.save({ params, body: { message: `${n}`, changes: [{ path: `many/${n}`, content: '', blob: null }] } })),
    );
    expect((await editor.files({ params })).files.filter(({ path }) => path.startsWith('many/'))).toHaveLength(4);

    const [deployed] = await Promise.all([editor.deploy({ params, body: { commit: second.commit } }), deployNext(name, 'live')]);
    expect(await ada().agents.deployment({ params: { ...params, deploy_id: deployed.deploy_id } })).toMatchObject({ source_commit: second.commit });
    const gone = await editor.save({
      params,
      body: { message: 'Gone', changes: [{ path: 'docs/read me.md', content: null, blob: second.files[0]?.blob ?? null }] },
    });
    expect((await editor.files({ params })).files.some(({ path }) => path.startsWith('docs/'))).toBe(false);
    expect(gone.files).toEqual([{ path: 'docs/read me.md', blob: null }]);

    expect(await ada().agents.disableCodeEditor({ params })).toMatchObject({ code_editor: false });
    await expect(editor.files({ params })).rejects.toMatchObject({ status: 401, code: 'source_token_invalid' });
    await world.ctx.db('agents').where({ name }).update({ kind: 'imported' });
    await expect(ada().agents.enableCodeEditor({ params })).rejects.toMatchObject({ status: 409, code: 'source_not_hosted' });
  },
);

verifies(['agents.redeploy', 'agents.source'], 'deploys the head of the repository where it was not deployed, and says what is wrong with it', async () => {
  const name = await newAgent();
  const params = { name };
  await expect(ada().agents.redeploy({ params })).rejects.toMatchObject({ status: 409, code: 'never_deployed' });
  const editor = editorOf(world.tokens.ada);
  const { commit: broken } = await editor.save({ params, body: { message: 'x', changes: [{ path: 'a.txt', content: 'x', blob: null }] } });
  await expect(ada().agents.redeploy({ params })).rejects.toMatchObject({ status: 409, code: 'source_not_deployable', detail: { reason: 'manifest_missing' } });
  const changes = Object.entries(greeterFiles(name)).map(([path, content]) => ({ path, content, blob: null }));
  const { commit: head } = await editor.save({ params, body: { message: 'y', changes } });
  const [accepted] = await Promise.all([ada().agents.redeploy({ params }), deployNext(name, 'live')]);
  expect(await ada().agents.deployment({ params: { ...params, deploy_id: accepted.deploy_id } })).toMatchObject({ source_commit: head });
  const again = await ada().agents.redeploy({ params });
  expect(again.number).toBe(2);
  expect(broken).not.toBe(head);
});
