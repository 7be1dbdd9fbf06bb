// What every source control driver must do.
import { chmod, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { extract } from 'tar';
import { afterEach, expect, it } from 'vitest';
import type { FileChange, SourceControl } from './port.ts';

const author = { name: 'Ada', email: 'ada@svc.local' };

export function scmConformance(make: () => Promise<SourceControl>): void {
  const folders: string[] = [];
  const folder = async (files: Record<string, string | Buffer>): Promise<string> => {
    const path = await mkdtemp(join(tmpdir(), 'svc-scm-tree-'));
    folders.push(path);
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(path, name)), { recursive: true });
      await writeFile(join(path, name), content);
    }
    return path;
  };
  const unpacked = async (scm: SourceControl, repository: string, commit: string): Promise<string> => {
    const path = await folder({});
    await pipeline(await scm.archive({ repository, commit }), extract({ cwd: path, strict: true }));
    return path;
  };
  const commitOf = (scm: SourceControl, repository: string, path: string) =>
    scm.commitTree({ repository, folder: path, branch: 'main', message: 'Deploy', author });
  afterEach(async () => {
    for (const path of folders.splice(0)) await rm(path, { recursive: true, force: true });
  });

  it('gives back what was committed, byte for byte, with odd names and modes', async () => {
    const scm = await make();
    const files = {
      'agent.ts': 'export {};\r\n',
      'a/b/c d.txt': '',
      'quo"te\\back.txt': 'x',
      'grüße/日本.txt': 'ü',
      'data.bin': Buffer.from([0, 1, 2, 255, 10, 13]),
      '.gitignore': '*.log\n',
      'kept.log': 'ignored files are source too',
      '.gitattributes': '* text eol=lf export-subst\nhidden.txt export-ignore\n*.bin filter=evil\n',
      'hidden.txt': '$Format:%H$',
    };
    const source = await folder(files);
    await chmod(join(source, 'agent.ts'), 0o755);
    const { commit } = await commitOf(scm, 'usr_1/agt_1', source);
    const copy = await unpacked(scm, 'usr_1/agt_1', commit);
    for (const [name, content] of Object.entries(files)) expect(await readFile(join(copy, name)), name).toEqual(Buffer.from(content));
    expect((await stat(join(copy, 'agent.ts'))).mode & 0o111).not.toBe(0);
    expect((await stat(join(copy, 'data.bin'))).mode & 0o111).toBe(0);
  });

  it('keeps every commit as it was; a later one holds only its own files', async () => {
    const scm = await make();
    const first = await commitOf(scm, 'u/a', await folder({ 'old.txt': '1', 'same.txt': 's' }));
    const second = await commitOf(scm, 'u/a', await folder({ 'new.txt': '2', 'same.txt': 's' }));
    expect(second.commit).not.toBe(first.commit);
    const copy = await unpacked(scm, 'u/a', second.commit);
    await expect(stat(join(copy, 'old.txt'))).rejects.toMatchObject({ code: 'ENOENT' });
    expect((await readFile(join(await unpacked(scm, 'u/a', first.commit), 'old.txt'))).toString()).toBe('1');
  });

  it('archives one commit to the same bytes every time', async () => {
    const scm = await make();
    const { commit } = await commitOf(scm, 'u/a', await folder({ 'x.txt': 'x'.repeat(10_000), 'y/z.txt': 'z' }));
    const digest = async () =>
      createHash('sha256')
        .update(await buffer(await archiveOf(scm, 'u/a', commit)))
        .digest('hex');
    expect(await digest()).toBe(await digest());
  });

  it('refuses commits and repositories that are not there', async () => {
    const scm = await make();
    const missing = { code: 'scm_commit_missing' };
    await expect(scm.archive({ repository: 'no/one', commit: 'a'.repeat(40) })).rejects.toMatchObject(missing);
    const { commit } = await commitOf(scm, 'u/a', await folder({ x: '1' }));
    await expect(scm.archive({ repository: 'u/a', commit: 'a'.repeat(40) })).rejects.toMatchObject(missing);
    await expect(scm.archive({ repository: 'u/other', commit })).rejects.toMatchObject(missing);
  });

  it('removes a repository, twice', async () => {
    const scm = await make();
    const { commit } = await commitOf(scm, 'u/a', await folder({ x: '1' }));
    await scm.remove('u/a');
    await scm.remove('u/a');
    await expect(scm.archive({ repository: 'u/a', commit })).rejects.toMatchObject({ code: 'scm_commit_missing' });
  });

  it.each(['../a', '/a', 'a/../b', '', '.hidden', '-x/a', 'A', 'a/b/c/d/e', 'a.git/x', 'a\n'])('refuses the repository name %j', async (repository) => {
    const scm = await make();
    await expect(commitOf(scm, repository, await folder({ x: '1' }))).rejects.toMatchObject({ code: 'scm_name_invalid' });
    await expect(scm.remove(repository)).rejects.toMatchObject({ code: 'scm_name_invalid' });
  });

  it.each(['--output=/tmp/x', 'HEAD', 'main', '-'])('refuses %j for a commit', async (commit) => {
    const scm = await make();
    await commitOf(scm, 'u/a', await folder({ x: '1' }));
    await expect(scm.archive({ repository: 'u/a', commit })).rejects.toMatchObject({ code: 'scm_name_invalid' });
  });

  it('commits no links and no git folders', async () => {
    const scm = await make();
    const linked = await folder({ x: '1' });
    await symlink('/etc/passwd', join(linked, 'link'));
    await expect(commitOf(scm, 'u/a', linked)).rejects.toMatchObject({ code: 'scm_file_unsupported' });
    await expect(commitOf(scm, 'u/a', await folder({ 'sub/.GIT/hooks/post-commit': 'x' }))).rejects.toMatchObject({ code: 'scm_file_unsupported' });
  });

  it('makes an empty repository, shows its head and its files, and reads one', async () => {
    const scm = await make();
    expect(await scm.head({ repository: 'u/a', branch: 'main' })).toBeUndefined();
    await scm.ensure('u/a');
    await scm.ensure('u/a');
    expect(await scm.head({ repository: 'u/a', branch: 'main' })).toBeUndefined();
    const { commit } = await commitOf(scm, 'u/a', await folder({ 'a.txt': 'one', 'b/ü *?.txt': 'two', ':(top)x': 'y' }));
    expect(await scm.head({ repository: 'u/a', branch: 'main' })).toBe(commit);
    expect(await scm.head({ repository: 'u/a', branch: 'other' })).toBeUndefined();
    const entries = await Array.fromAsync(scm.files({ repository: 'u/a', commit }));
    expect(entries.map(({ path, kind, size }) => [path, kind, size])).toEqual([
      [':(top)x', 'file', 1],
      ['a.txt', 'file', 3],
      ['b/ü *?.txt', 'file', 3],
    ]);
    for (const { path, blob } of entries) expect((await scm.read({ repository: 'u/a', commit, path, maxBytes: 10 }))?.blob).toBe(blob);
    const read = (path: string, maxBytes = 10) => scm.read({ repository: 'u/a', commit, path, maxBytes });
    expect((await read('b/ü *?.txt'))?.content?.toString()).toBe('two');
    expect(await read('a.txt', 2)).toMatchObject({ size: 3 });
    expect((await read('a.txt', 2))?.content).toBeUndefined();
    for (const path of ['b', 'b/', 'a.txt/x', '*', '../a.txt', '-r', '']) expect(await read(path), path).toBeUndefined();
    const missing = { code: 'scm_commit_missing' };
    await expect(scm.read({ repository: 'u/a', commit: 'a'.repeat(40), path: 'a.txt', maxBytes: 10 })).rejects.toMatchObject(missing);
    await expect(Array.fromAsync(scm.files({ repository: 'u/none', commit }))).rejects.toMatchObject(missing);
  });

  it('commits a few files on top of the commit they were made of, and on no other', async () => {
    const scm = await make();
    const save = async (parent: string | null, changes: FileChange[]) =>
      (await scm.commitFiles({ repository: 'u/a', branch: 'main', parent, changes, message: 'save', author })).commit;
    const paths = async (commit: string) => (await Array.fromAsync(scm.files({ repository: 'u/a', commit }))).map(({ path, executable }) => [path, executable]);
    const first = await save(null, [
      { path: 'a "q"\\.txt', content: Buffer.from('1') },
      { path: 'run.sh', content: Buffer.from([0, 255]), executable: true },
    ]);
    expect(await paths(first)).toEqual([
      ['a "q"\\.txt', false],
      ['run.sh', true],
    ]);
    const second = await save(first, [
      { path: 'a "q"\\.txt', content: null },
      { path: 'b/c.txt', content: Buffer.from('') },
    ]);
    expect(await paths(second)).toEqual([
      ['b/c.txt', false],
      ['run.sh', true],
    ]);
    const moved = { code: 'scm_moved' };
    await expect(save(first, [{ path: 'x', content: Buffer.from('x') }])).rejects.toMatchObject(moved);
    await expect(save(null, [{ path: 'x', content: Buffer.from('x') }])).rejects.toMatchObject(moved);
    const racing = await Promise.allSettled(Array.from({ length: 5 }, async (_, n) => save(second, [{ path: `${n}`, content: Buffer.from('x') }])));
    expect(racing.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('takes any author and message as text', async () => {
    const scm = await make();
    const path = await folder({ x: '1' });
    const odd = { name: 'Eve <root@x>\ncommitter x', email: 'e>\nfrom refs/heads/other' };
    const { commit } = await scm.commitTree({ repository: 'u/a', folder: path, branch: 'main', message: 'data 3\n\ndone\n', author: odd });
    expect((await readFile(join(await unpacked(scm, 'u/a', commit), 'x'))).toString()).toBe('1');
  });
}

async function archiveOf(scm: SourceControl, repository: string, commit: string): Promise<Readable> {
  return new Readable().wrap(await scm.archive({ repository, commit }));
}
