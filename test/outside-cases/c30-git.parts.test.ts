// C30. Git's own client at an agent's repository: large pushes in small pieces, many tags, shallow clones, a
// wrong token, names beyond ASCII.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientOf } from '#contract/client.ts';
import { sourceEditor } from '#contract/deploys/source-editor.ts';
import { clientEnv, gitIn } from '#drivers/scm/test/serve-git.ts';
import { createWorld, type World } from '../api/world.ts';

const TAGS = 120;
const PART = 60;
let world: World;
let box: string;
let address: string;
let folder: string;
beforeAll(async () => {
  world = await createWorld();
  box = await mkdtemp(join(tmpdir(), 'svc-git-'));
  const { name } = await world.as('ada').agents.fromSource({ body: { name: 'git-cases' } });
  const editor = clientOf({ sourceEditor }, { baseUrl: world.url, token: world.tokens.ada }).sourceEditor;
  const { token } = await editor.createToken({ params: { name }, body: { mode: 'write' } });
  address = `${world.url.replace('://', `://x:${token}@`)}/git/${name}.git`;
  folder = join(box, 'work');
  await git(box, 'clone', '-q', address, folder);
});
afterAll(async () => {
  await world.close();
  await rm(box, { recursive: true, force: true });
});

async function git(at: string, ...args: string[]): Promise<string> {
  const { code, out, err } = await gitIn(at, args);
  if (code !== 0) throw new Error(`git ${args.join(' ')}: ${err}`);
  return out.trim();
}
async function commit(file: string, content: string | Buffer): Promise<string> {
  await writeFile(join(folder, file), content);
  await git(folder, 'add', '-A');
  await git(folder, 'commit', '-q', '-m', file);
  return git(folder, 'rev-parse', 'HEAD');
}
const headOf = async (ref: string) => (await git(box, 'ls-remote', address, ref)).split('\t')[0];

test('five megabytes arrive, in one body and in the smallest pieces that git sends', async () => {
  expect(await commit('whole.bin', randomBytes(5 * 1024 * 1024))).toMatch(/^[0-9a-f]{40}$/);
  await git(folder, '-c', `http.postBuffer=${16 * 1024 * 1024}`, 'push', '-q', 'origin', 'HEAD:refs/heads/large');
  const head = await commit('pieces.bin', randomBytes(5 * 1024 * 1024));
  // Beyond the buffer git asks first with four bytes, then sends in chunks.
  await git(folder, '-c', 'http.postBuffer=65536', 'push', '-q', 'origin', 'HEAD:refs/heads/large');
  expect(await headOf('refs/heads/large')).toBe(head);
});

test('a branch beyond ASCII, and history that was rewritten', async () => {
  await git(folder, 'push', '-q', 'origin', 'HEAD:refs/heads/feature/ü');
  await git(folder, 'commit', '-q', '--amend', '-m', 'again');
  expect((await gitIn(folder, ['push', '-q', 'origin', 'HEAD:refs/heads/feature/ü'])).code).not.toBe(0);
  await git(folder, 'push', '-q', '--force', 'origin', 'HEAD:refs/heads/feature/ü');
  expect(await headOf('refs/heads/feature/ü')).toBe(await git(folder, 'rev-parse', 'HEAD'));
});

test('hundreds of tags arrive in parts, are fetched at once by a request that git compresses, and a clone may be shallow', async () => {
  // Each is of a commit of its own: git asks for each by its hash, and compresses what is longer than a
  // kilobyte.
  const names = Array.from({ length: TAGS }, (_, at) => `refs/tags/t${at}`);
  const commits = names.map((name, at) => `commit ${name}\ncommitter Ada <ada@example.com> ${1_700_000_000 + at} +0000\ndata 1\nx\n`);
  const imported = spawnSync('git', ['fast-import', '--quiet'], { cwd: folder, env: clientEnv, input: commits.join('\n') });
  expect([imported.status, String(imported.stderr)]).toEqual([0, '']);
  const all = await gitIn(folder, ['push', '-q', 'origin', '--tags']);
  expect([all.code, all.err]).toEqual([1, expect.stringContaining('A push may change at most 100 branches and tags: push them in parts.')]);
  for (let at = 0; at < TAGS; at += PART) await git(folder, 'push', '-q', 'origin', ...names.slice(at, at + PART));
  const other = join(box, 'other');
  await git(box, 'clone', '-q', '--depth', '1', '--no-tags', '--branch', 'feature/ü', address, other);
  expect(await git(other, 'rev-list', '--count', 'HEAD')).toBe('1');
  await git(other, 'fetch', '-q', '--tags', 'origin');
  expect((await git(other, 'tag')).split('\n')).toHaveLength(TAGS);
});

test('a wrong token is asked for again at the first bytes, and nothing hangs', async () => {
  const wrong = address.replace(/x:[^@]+@/, 'x:wrong@');
  const { code, err } = await gitIn(folder, ['-c', 'http.postBuffer=65536', 'push', wrong, 'HEAD:refs/heads/wrong']);
  expect([code, /401|Authentication failed/.test(err)]).toEqual([128, true]);
  const probe = await fetch(`${wrong.replace('x:wrong@', '')}/git-receive-pack`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-git-receive-pack-request', authorization: `Basic ${Buffer.from('x:wrong').toString('base64')}` },
    body: '0000',
  });
  expect([probe.status, probe.headers.get('www-authenticate')]).toEqual([401, expect.stringMatching(/^Basic /)]);
});
