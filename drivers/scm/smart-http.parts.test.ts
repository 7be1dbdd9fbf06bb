// git's own client against the driver: what it pushes, fetches and may not.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { Readable, Writable } from 'node:stream';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { gitSourceControl } from './git.ts';
import type { PushRules, RefUpdate, TreeEntry } from './port.ts';
import { send } from './smart-http.ts';
import { type GitServer, gitIn, serveGitOf } from './test/serve-git.ts';

let box: string;
let root: string;
let server: GitServer;
let count = 0;
/** What the rules were asked, and what they answer. */
let pushed: { updates: readonly RefUpdate[]; files: TreeEntry[][] }[] = [];
let refusal: readonly string[] | undefined;
let lines: string[] = [];

const rules: PushRules = {
  admit: async ({ updates, files }) => {
    const trees = await Promise.all(updates.map(async ({ after }) => (after === null ? [] : Array.fromAsync(files(after)))));
    pushed.push({ updates, files: trees });
    return refusal;
  },
  async *received() {
    for (const line of lines) yield line;
  },
};

beforeAll(async () => {
  box = await mkdtemp(join(tmpdir(), 'svc-git-http-'));
  root = join(box, 'root');
  server = await serveGitOf(gitSourceControl({ root, packBytes: 1024 * 1024 }), rules);
});
afterAll(async () => {
  await server.close();
  await rm(box, { recursive: true, force: true });
});
beforeEach(() => {
  [pushed, refusal, lines, server.rules] = [[], undefined, [], rules];
});

const repository = (): string => `u/r${(count += 1)}`;
const address = (name: string): string => `${server.url}/${name}.git`;
const gitDir = (name: string): string => join(root, `${name}.git`);
const fsck = (name: string): Buffer => execFileSync('git', ['--git-dir', gitDir(name), 'fsck', '--full', '--strict'], { stdio: 'pipe' });

/** A clone with these files committed on main. */
async function clone(name: string, files: Record<string, string | Buffer> = { 'a.txt': '1' }): Promise<string> {
  const folder = join(box, `clone-${(count += 1)}`);
  expect(await gitIn(box, ['clone', '--quiet', address(name), folder])).toMatchObject({ code: 0 });
  await gitIn(folder, ['checkout', '-q', '-B', 'main']);
  await commit(folder, files);
  return folder;
}

async function commit(folder: string, files: Record<string, string | Buffer>): Promise<string> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  await gitIn(folder, ['add', '-A']);
  await gitIn(folder, ['commit', '-q', '-m', 'change', '--allow-empty']);
  return (await gitIn(folder, ['rev-parse', 'HEAD'])).out.trim();
}

const push = (folder: string, ...args: string[]) => gitIn(folder, ['push', 'origin', ...args]);

describe('a push', () => {
  test('is shown to the rules before it is visible, taken, and answered with their lines', async () => {
    const name = repository();
    const folder = await clone(name, { 'a.txt': '1', 'b/c d.sh': 'x' });
    const head = (await gitIn(folder, ['rev-parse', 'HEAD'])).out.trim();
    lines = ['● building', 'with \\ back\u001b[2Jslash', '$(id) `id`', ''];
    const ran = await push(folder, 'main');
    expect(ran.code, ran.err).toBe(0);
    expect(pushed[0]?.updates).toEqual([{ ref: 'refs/heads/main', before: null, after: head }]);
    expect(pushed[0]?.files[0]?.map(({ path, kind, size }) => [path, kind, size])).toEqual([
      ['a.txt', 'file', 1],
      ['b/c d.sh', 'file', 1],
    ]);
    expect(ran.err).toContain('remote: ● building');
    expect(ran.err).toContain('remote: with \\ back [2Jslash');
    expect(ran.err).toContain('remote: $(id) `id`');
    expect(await gitSourceControl({ root }).head({ repository: name, branch: 'main' })).toBe(head);
    fsck(name);
  });

  test('that the rules refuse leaves nothing', async () => {
    const name = repository();
    const folder = await clone(name);
    refusal = ['svc.yaml is not here', 'and more'];
    const ran = await push(folder, 'main');
    expect(ran.code).toBe(1);
    expect(ran.err).toContain('remote: svc.yaml is not here');
    expect(ran.err).toContain('pre-receive hook declined');
    expect(await gitSourceControl({ root }).head({ repository: name, branch: 'main' })).toBeUndefined();
    expect((await readdir(join(gitDir(name), 'objects'))).filter((one) => one.startsWith('tmp_objdir'))).toEqual([]);
  });

  test('without the right to is refused; fetching is not', async () => {
    const name = repository();
    const folder = await clone(name);
    server.rules = undefined;
    expect((await push(folder, 'main')).code).not.toBe(0);
    expect((await gitIn(folder, ['fetch', 'origin'])).code).toBe(0);
  });

  test('shows links, submodules and folders that repeat without end, as far as the rules look', async () => {
    const name = repository();
    const folder = await clone(name, {});
    await symlink('/etc/passwd', join(folder, 'link'));
    await gitIn(folder, ['update-index', '--add', '--cacheinfo', `160000,${'a'.repeat(40)},sub`]);
    await gitIn(folder, ['add', 'link']);
    await gitIn(folder, ['commit', '-q', '-m', 'odd']);
    await push(folder, 'main');
    expect(pushed[0]?.files[0]?.map(({ path, kind }) => [path, kind])).toEqual(expect.arrayContaining([['link', 'link'], ['sub', 'submodule']])); // prettier-ignore
    // Ten folders in each of ten levels: ten thousand million files in a pack of a kilobyte.
    let tree = await objectOf(folder, 'blob', 'x');
    let entry = `100644 blob ${tree}`;
    for (let level = 0; level < 10; level += 1) {
      tree = (await piped(folder, ['mktree'], Array.from({ length: 10 }, (_, n) => `${entry}\t${n}\n`).join(''))).trim();
      entry = `040000 tree ${tree}`;
    }
    const bomb = (await gitIn(folder, ['commit-tree', tree, '-m', 'bomb'])).out.trim();
    let looked = 0;
    server.rules = {
      ...rules,
      admit: async ({ updates, files }) => {
        for await (const one of files(updates[0]?.after ?? '')) if ((looked += Number(one.size === 1)) === 1000) return ['too many files'];
        return undefined;
      },
    };
    const ran = await push(folder, `${bomb}:refs/heads/bomb`);
    expect([ran.code, looked]).toEqual([1, 1000]);
    expect(ran.err).toContain('remote: too many files');
  });

  test('of a damaged object is refused by git', async () => {
    const name = repository();
    const folder = await clone(name);
    const bad = (await piped(folder, ['hash-object', '-t', 'commit', '-w', '--literally', '--stdin'], 'tree x\n')).trim();
    await writeFile(join(folder, '.git', 'refs', 'heads', 'bad'), `${bad}\n`);
    expect((await push(folder, 'bad')).code).not.toBe(0);
    expect(pushed).toEqual([]);
  });

  test('larger than the limit is refused in words', async () => {
    const name = repository();
    const folder = await clone(name, { big: randomBytes(6 * 1024 * 1024) });
    const ran = await push(folder, 'main');
    expect(ran.code).not.toBe(0);
    expect(ran.err).toContain('pack exceeds maximum allowed size');
    expect(pushed).toEqual([]);
    expect((await readdir(join(gitDir(name), 'objects'))).filter((one) => one.startsWith('tmp_objdir'))).toEqual([]);
  });

  test('rewrites history with --force, deletes other branches, moves tags, and cannot delete main', async () => {
    const name = repository();
    const folder = await clone(name);
    await push(folder, 'main');
    await gitIn(folder, ['commit', '-q', '--amend', '-m', 'other']);
    expect((await push(folder, 'main')).err).toContain('rejected');
    expect((await push(folder, '--force', 'main')).code).toBe(0);
    expect((await push(folder, 'main:side')).code).toBe(0);
    expect((await push(folder, '--delete', 'side')).code).toBe(0);
    await gitIn(folder, ['tag', '-a', 'v1', '-m', 'one']);
    expect((await push(folder, 'v1')).code).toBe(0);
    expect(pushed.at(-1)?.files[0]?.map(({ path }) => path)).toEqual(['a.txt']);
    const deleted = await push(folder, '--delete', 'main');
    expect(deleted.code).toBe(1);
    expect(deleted.err).toContain('deletion of the current branch prohibited');
    fsck(name);
  });

  test('at the same time as others: one of each branch wins, nothing breaks', async () => {
    const name = repository();
    const first = await clone(name);
    await push(first, 'main');
    const folders = await Promise.all(Array.from({ length: 4 }, (_, n) => clone(name, { [`f${n}`]: `${n}` })));
    const ran = await Promise.all(folders.map(async (folder) => push(folder, 'main')));
    expect(ran.filter(({ code }) => code === 0)).toHaveLength(1);
    const sides = await Promise.all(folders.map(async (folder, n) => push(folder, `main:side${n}`)));
    expect(sides.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    fsck(name);
  });

  test('goes on after a git that was killed while it held the branch', async () => {
    const name = repository();
    const folder = await clone(name);
    await push(folder, 'main');
    const lock = join(gitDir(name), 'refs', 'heads', 'main.lock');
    await writeFile(lock, '');
    await utimes(lock, Date.now() / 1000 - 60, Date.now() / 1000 - 60);
    await commit(folder, { 'a.txt': '2' });
    expect((await push(folder, 'main')).code).toBe(0);
  });
});

describe('a fetch', () => {
  test('may be shallow or leave contents out', async () => {
    const name = repository();
    const folder = await clone(name);
    await commit(folder, { 'a.txt': '2' });
    await push(folder, 'main');
    const shallow = join(box, `shallow-${count}`);
    expect((await gitIn(box, ['clone', '-q', '--depth', '1', address(name), shallow])).code).toBe(0);
    expect((await gitIn(shallow, ['rev-list', '--count', 'HEAD'])).out.trim()).toBe('1');
    expect((await gitIn(shallow, ['fetch', '-q', '--deepen', '1'])).code).toBe(0);
    expect((await gitIn(shallow, ['rev-list', '--count', 'HEAD'])).out.trim()).toBe('2');
    expect((await gitIn(box, ['clone', '-q', '--filter=blob:none', address(name), `${shallow}-partial`])).code).toBe(0);
  });

  test('by the old protocol of files reads nothing', async () => {
    const name = repository();
    await push(await clone(name), 'main');
    for (const path of ['HEAD', 'config', 'objects/info/packs']) expect((await fetch(`${address(name)}/${path}`)).status, path).toBeGreaterThanOrEqual(400);
  });
});

async function objectOf(folder: string, type: string, content: string): Promise<string> {
  return (await piped(folder, ['hash-object', '-t', type, '-w', '--stdin'], content)).trim();
}

async function piped(folder: string, args: string[], input: string): Promise<string> {
  const { clientEnv } = await import('./test/serve-git.ts');
  return execFileSync('git', args, { cwd: folder, env: clientEnv, input }).toString();
}

test('a git that takes a large push bit by bit gathers no listeners', async () => {
  let most = 0;
  const stdin = new Writable({
    highWaterMark: 1,
    write(_piece, _encoding, done) {
      most = Math.max(most, stdin.listenerCount('close'), stdin.listenerCount('error'));
      setImmediate(done);
    },
  });
  await send(Readable.from(Array.from({ length: 40 }, () => Buffer.alloc(10))), stdin, 1_000);
  expect(most).toBeLessThan(5);
});
