// Changes to a folder are made whole or not at all, stay inside it, and never overwrite what somebody wrote
// meanwhile.
import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Applier, isSafePath } from './apply.ts';
import { markOf, Scanner } from './tree.ts';

let folder: string;
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'svc-apply-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));

const sha = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');
async function put(applier: Applier, files: Record<string, string>, removes: string[] = [], expected: Record<string, string | null> = {}): Promise<string[]> {
  for (const text of Object.values(files)) await applier.stage(sha(text), Buffer.from(text));
  return applier.apply(
    Object.entries(files).map(([path, text]) => ({ path, sha256: sha(text), executable: path.endsWith('.sh') })),
    removes,
    expected,
  );
}
async function filesIn(): Promise<Record<string, string>> {
  const { tree } = { tree: await new Scanner(folder).scan() };
  return Object.fromEntries(await Promise.all([...tree.keys()].map(async (path) => [path, await readFile(join(folder, path), 'utf8')] as const)));
}

test('writes, removes, makes and drops folders, and keeps modes', async () => {
  await mkdir(join(folder, 'old/deep'), { recursive: true });
  await writeFile(join(folder, 'old/deep/file'), 'x');
  expect(await put(new Applier(folder), { 'a.ts': 'one', 'lib/run.sh': 'two', 'lib/b/c': 'one' }, ['old/deep/file'])).toEqual([]);
  expect(await filesIn()).toEqual({ 'a.ts': 'one', 'lib/run.sh': 'two', 'lib/b/c': 'one' });
  expect((await stat(join(folder, 'lib/run.sh'))).mode & 0o111).not.toBe(0);
  expect(await readdir(folder)).not.toContain('old');
  expect(await readdir(join(folder, '.svc'))).toEqual([]);
});

test('a file becomes a folder and a folder a file', async () => {
  await writeFile(join(folder, 'thing'), 'file');
  await put(new Applier(folder), { 'thing/inner': 'in' }, ['thing']);
  expect(await filesIn()).toEqual({ 'thing/inner': 'in' });
  await put(new Applier(folder), { thing: 'file again' }, ['thing/inner']);
  expect(await filesIn()).toEqual({ thing: 'file again' });
});

test('one file that is replaced leaves nothing behind', async () => {
  await writeFile(join(folder, 'a'), 'old');
  expect(await put(new Applier(folder), { a: 'new' }, [])).toEqual([]);
  expect(await filesIn()).toEqual({ a: 'new' });
  expect(await readdir(join(folder, '.svc'))).toEqual([]);
});

test('what somebody changed since it was looked at is left, and named', async () => {
  await writeFile(join(folder, 'a'), 'seen');
  await writeFile(join(folder, 'b'), 'seen');
  const seen = markOf({ sha256: sha('seen'), executable: false });
  await writeFile(join(folder, 'a'), 'written meanwhile');
  expect(await put(new Applier(folder), { a: 'new', b: 'new', c: 'new' }, [], { a: seen, b: seen, c: null })).toEqual(['a']);
  expect(await filesIn()).toEqual({ a: 'written meanwhile', b: 'new', c: 'new' });
});

test('a process killed after its journal was written has made the change: the next one makes it whole; one killed before has made none', async () => {
  const applier = new Applier(folder);
  await writeFile(join(folder, 'gone'), 'x');
  await applier.stage(sha('new'), Buffer.from('new'));
  await new Applier(folder).recover();
  expect(await filesIn()).toEqual({ gone: 'x' });
  const stage = join(folder, '.svc/sync');
  await mkdir(stage, { recursive: true });
  await writeFile(join(stage, '1.file'), 'second');
  await writeFile(join(folder, 'first'), 'moved before the kill');
  const writes = [{ path: 'first', staged: '0.file', executable: false }, { path: 'second', staged: '1.file', executable: false }]; // prettier-ignore
  await writeFile(join(stage, 'journal.json'), JSON.stringify({ writes, removes: ['gone'] }));
  await new Applier(folder).recover();
  expect(await filesIn()).toEqual({ first: 'moved before the kill', second: 'second' });
});

test('nothing is written outside of the folder, through a link or by a path, nor into what the sync does not carry', async () => {
  const outside = await mkdtemp(join(tmpdir(), 'svc-outside-'));
  await symlink(outside, join(folder, 'link'));
  await put(new Applier(folder), { 'link/file': 'text' });
  expect(await readdir(outside)).toEqual([]);
  expect((await lstat(join(folder, 'link'))).isDirectory()).toBe(true);
  for (const path of ['../x', '/x', 'a/../../x', 'a//b', '', '.git/hooks/post-checkout', '.svc/sync/journal.json', 'a\0b', 'node_modules/x', 'a\\..\\b'])
    expect(isSafePath(path), path).toBe(false);
  await expect(put(new Applier(folder), { '../x': 'text' })).rejects.toThrow('not a path inside');
  await expect(new Applier(folder).stage(sha('one'), Buffer.from('another'))).rejects.toThrow('another content');
  await rm(outside, { recursive: true });
});

test('the scan goes by the ignore file of deploys and sees every change, also one only of the mode', async () => {
  await mkdir(join(folder, 'node_modules/x'), { recursive: true });
  await mkdir(join(folder, '.venv'), { recursive: true });
  for (const path of ['agent.ts', 'node_modules/x/index.js', '.venv/bin', '.env.local', 'big.data']) await writeFile(join(folder, path), path);
  await writeFile(join(folder, '.svcignore'), '*.data\n');
  const scanner = new Scanner(folder);
  expect([...(await scanner.scan()).keys()]).toEqual(['.svcignore', 'agent.ts']);
  await chmod(join(folder, 'agent.ts'), 0o755);
  expect((await scanner.scan()).get('agent.ts')).toMatchObject({ executable: true });
  await writeFile(join(folder, 'agent.ts'), 'AGENT.ts');
  expect((await scanner.scan()).get('agent.ts')).toMatchObject({ sha256: sha('AGENT.ts') });
});
