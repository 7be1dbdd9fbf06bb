// The verbs of sandboxes, on a driver that keeps to the port with plain processes in folders; the driver's
// own suite is on microVMs.
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SandboxError, type SandboxRuntime, type SandboxStatus } from '#drivers/sandbox/port.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { type LiveAgent, liveAgent, runOf, type TestRun } from '#test/support/runs.ts';
import { inTx } from '../../kernel/tx.ts';
import { mintGrant } from '../../workspace/grant/mint.ts';
import { listPatches } from '../../workspace/patch/list.ts';
import { endRunWithoutReceipt } from '../run/end.ts';
import { uploadFiles } from '../../pauses/scope/test/files.ts';
import { checkEgress, createSandbox } from './create.ts';
import { SETTINGS } from '#contract/platform/settings.ts';
import { endSandbox, execInSandbox, getSandbox, listSandboxes, removeSandbox, runOnce, shellInSandbox } from './use.ts';
import { cites } from '#test/spec/verifies.ts';

let t: TestContext;
let ada: TestUser;
let agent: LiveAgent;
let folder: string;
const machines = new Map<string, SandboxStatus & { before: Record<string, string>; env: Record<string, string> }>();

async function filesIn(root: string): Promise<Record<string, string>> {
  const names = await readdir(root, { recursive: true, withFileTypes: true });
  const files = names.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  return Object.fromEntries(await Promise.all(files.map(async (file) => [file.slice(root.length + 1), await readFile(file, 'utf8')] as const)));
}

const driver: SandboxRuntime = {
  async create({ sandbox_id, image, memory_mib, cpus, files, env }) {
    if (image === 'nobody/knows') throw new SandboxError('image_unknown', 'no image of that name');
    const root = join(folder, sandbox_id);
    await mkdir(root);
    for await (const { path, content } of files ?? []) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), content);
    }
    const status: SandboxStatus = { sandbox_id, image, memory_mib, cpus, state: 'running', created_at: 0, last_used_at: 0 };
    machines.set(sandbox_id, { ...status, before: await filesIn(root), env: { ...env } });
    return status;
  },
  get: async (id) => machines.get(id),
  list: async () => [...machines.values()],
  async exec(id, { command, args, stdin }) {
    const machine = machines.get(id);
    if (!machine) throw new SandboxError('not_found', 'gone');
    if (machine.state === 'stopped') throw new SandboxError('stopped', 'it has ended');
    const { stdout, stderr, status } = spawnSync(command, [...args], { cwd: join(folder, id), env: { PATH: process.env.PATH, ...machine.env }, input: stdin });
    return { stdout: String(stdout), stderr: String(stderr), exit_code: status ?? 128, truncated: false, timed_out: false };
  },
  logs: async () => '',
  async changes(id) {
    const before = machines.get(id)?.before ?? {};
    const now = await filesIn(join(folder, id));
    const changed = Object.entries(now).filter(([path, text]) => before[path] !== text);
    const gone = Object.keys(before).filter((path) => !(path in now));
    return [...changed.map(([path, text]) => ({ path, content: Buffer.from(text) })), ...gone.map((path) => ({ path, content: null }))];
  },
  stop: async (id) => void machines.set(id, { ...must(id), state: 'stopped' }),
  kill: async (id) => void machines.set(id, { ...must(id), state: 'stopped' }),
  remove: async (id) => void machines.delete(id),
};

function must(id: string) {
  const machine = machines.get(id);
  if (!machine) throw new SandboxError('not_found', 'gone');
  return machine;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-sandbox-'));
  t = await testContext();
  t.ctx.drivers.sandbox = driver;
  ada = await t.user('ada');
  agent = await liveAgent(t.ctx, ada.actor.user_id);
  await uploadFiles(ada, { 'in/a.txt': 'one', 'in/b.txt': 'two', 'other.txt': 'not granted' });
});
afterAll(async () => {
  await t.close();
  await rm(folder, { recursive: true });
});

const run = (user: string | null = ada.actor.user_id): TestRun => runOf(t.ctx, agent, user);
const spec = { image: 'python:3.11-slim', memory_mib: 512, cpus: 1, workspace: null, secrets: {}, egress: [], labels: {} };
const { signal } = new AbortController();
const refusal = (promise: Promise<unknown>): Promise<{ name: string; code: string }> =>
  promise.then(
    () => Promise.reject(new Error('was not refused')),
    (error) => error,
  );

test('create, exec, stop, remove; secrets are in the environment; names are the user’s own', cites('sandbox.handle'), async () => {
  const it = run();
  expect(await createSandbox(it, { ...spec, name: 'one', secrets: { TOKEN: 'hidden' }, labels: { a: 'b' } })).toEqual({
    name: 'one',
    image: spec.image,
    state: 'running',
    labels: { a: 'b' },
  });
  expect(await refusal(createSandbox(it, { ...spec, name: 'one' }))).toMatchObject({ name: 'Conflict', code: 'sandbox_exists' });
  expect(await execInSandbox(it, { name: 'one', command: 'printenv', args: ['TOKEN'], timeout_seconds: 5, signal })).toMatchObject({
    stdout: 'hidden\n',
    exit_code: 0,
  });
  expect(await shellInSandbox(it, { name: 'one', script: 'echo a; echo b >&2; exit 3', timeout_seconds: 5, signal })).toMatchObject({
    stdout: 'a\n',
    stderr: 'b\n',
    exit_code: 3,
  });
  expect(await getSandbox(run(), { name: 'one' })).toMatchObject({ state: 'running' });
  expect(await refusal(getSandbox(run(null), { name: 'one' }))).toMatchObject({ name: 'NotFound' });
  expect(await endSandbox(it, { name: 'one', how: 'stop' })).toMatchObject({ state: 'stopped' });
  expect(await refusal(execInSandbox(it, { name: 'one', command: 'true', args: [], timeout_seconds: 5, signal }))).toMatchObject({ code: 'sandbox_stopped' });
  await t.ctx.drivers.traces.flush();
  const spans = await t.ctx.drivers.traces.ofRuns([it.actor.run_id], { since: new Date(0), limit: 10 });
  expect(spans.map(({ name, status, attributes }) => [name, status, attributes['svc.sandbox.exit_code'], attributes['error.type']])).toEqual([
    ['execute_tool sandbox', 'ok', 0, undefined],
    ['execute_tool sandbox', 'ok', 3, undefined],
    ['execute_tool sandbox', 'error', undefined, 'sandbox_stopped'],
  ]);
  await removeSandbox(it, { name: 'one' });
  await removeSandbox(it, { name: 'one' });
  expect(await listSandboxes(it)).toEqual([]);
});

test('a granted workspace is mounted; what changed under the grant comes back as patches, the rest stays inside', cites('sandbox.spec'), async () => {
  const it = run();
  const { token, grant } = await inTx(t.ctx, (ctx) =>
    mintGrant(ctx, {
      userId: ada.actor.user_id,
      audience: agent.name,
      allow: ['in/**', 'out/**'],
      deny: [],
      mode: 'read_write_overlay',
      outputsPrefix: 'out',
      ttlSeconds: 60,
    }),
  );
  await createSandbox(it, { ...spec, name: 'work', workspace: token });
  const done = await shellInSandbox(it, {
    name: 'work',
    script: 'cat in/a.txt; ls; mkdir out; cat in/*.txt > out/sum.txt; echo x > in/a.txt; echo y > tmp',
    timeout_seconds: 5,
    signal,
  });
  expect(done.stdout).toBe('onein\n');
  const staged = await listPatches(it, { grant_token: token });
  expect(staged.map(({ path, operation, size_bytes }) => ({ path, operation, size_bytes }))).toEqual([
    { path: 'out/sum.txt', operation: 'write', size_bytes: 6 },
  ]);
  expect(await t.ctx.db('files').where({ path: 'out/sum.txt' })).toEqual([]);
  const facts = await inTx(t.ctx, (ctx) => endRunWithoutReceipt(ctx, it.actor.run_id, 'succeeded'));
  expect(facts?.files).toMatchObject([
    { path: 'in/a.txt', operation: 'read' },
    { path: 'in/b.txt', operation: 'read' },
    { path: 'out/sum.txt', operation: 'write', size_bytes: 6 },
  ]);
  expect(await t.ctx.db('files').where({ path: 'out/sum.txt' })).toHaveLength(1);
  await t.ctx.db('grants').where({ grant_id: grant.grant_id }).update({ revoked_at: new Date().toISOString() });
  expect(await refusal(shellInSandbox(run(), { name: 'work', script: 'true', timeout_seconds: 5, signal }))).toMatchObject({
    name: 'Forbidden',
    code: 'mount_over',
  });
  await removeSandbox(run(), { name: 'work' });
});

test('one-shots leave nothing; unknown images are reported; four run at a time; sandboxes of a run end with it', cites('sandbox.one_shot'), async () => {
  expect(await runOnce(run(), { language: 'shell', code: 'echo $((6*7))', image: spec.image, timeout_seconds: 5, signal })).toMatchObject({ stdout: '42\n' });
  expect(await runOnce(run(), { language: 'shell', code: `#${'x'.repeat(200_000)}\necho long`, image: spec.image, timeout_seconds: 5, signal })).toMatchObject({
    stdout: 'long\n',
  });
  expect(await refusal(createSandbox(run(), { ...spec, name: 'x', image: 'nobody/knows' }))).toMatchObject({ name: 'NotFound', code: 'image_unknown' });
  expect(await t.ctx.db('sandboxes')).toEqual([]);
  const it = run(null);
  const made = await Promise.allSettled(['a', 'b', 'c', 'd', 'e'].map((name) => createSandbox(it, { ...spec, name })));
  expect(made.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  await inTx(t.ctx, (ctx) => endRunWithoutReceipt(ctx, it.actor.run_id, 'failed'));
  await expect.poll(async () => [machines.size, (await t.ctx.db('sandboxes')).length]).toEqual([0, 0]);
});

test('a sandbox reaches no further than its agent; without a driver it is unavailable', async () => {
  const policy = { allow_hosts: ['api.example.com', '*.cdn.example'], allow_internal_services: [], deny_internet_by_default: true };
  expect(() => checkEgress(['api.example.com', 'a.cdn.example', '*.b.cdn.example'], policy)).not.toThrow();
  for (const host of ['example.com', 'evil.api.example.com', 'cdn.example', '*.example', 'xcdn.example', '*.com'])
    expect(() => checkEgress([host], policy), host).toThrow();
  t.ctx.drivers.sandbox = undefined;
  expect(await refusal(listSandboxes(run()))).toMatchObject({ name: 'Unavailable', code: 'sandbox_unavailable' });
  t.ctx.drivers.sandbox = driver;
});

test('anonymous callers share one limit: all agents of an author have so many sandboxes together', async () => {
  const others = await t.user('cleo');
  const mill = await liveAgent(t.ctx, others.actor.user_id, { visibility: 'public' });
  const create = (who: LiveAgent, name: string) => createSandbox(runOf(t.ctx, who, null), { ...spec, name });
  for (let at = 0; at < SETTINGS.sandboxes_per_author.default_value; at += 1) await create(mill, `s-${at}`);
  expect(await refusal(create(mill, 'more'))).toMatchObject({ name: 'Conflict', code: 'too_many_sandboxes' });
  expect(await refusal(create(await liveAgent(t.ctx, others.actor.user_id), 'more'))).toMatchObject({ code: 'too_many_sandboxes' });
  expect(await create(await liveAgent(t.ctx, (await t.user('dora')).actor.user_id), 'more')).toMatchObject({ state: 'running' });
});
