// The rules of ignore files, compared with what git itself says of the same folders.
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { randomFrom } from '#test/fuzz/tokens.ts';
import { listSource } from './pack.ts';
import { secretOf } from './secrets.ts';

const NAMES = ['a', 'b', 'c d', 'A', 'x.txt', '#h', '!n', '[k]'];
const PATTERNS = ['a', '/b', 'a/', '*.txt', '!x.txt', '!a/', 'a/b', '**/b', 'a/**', '!a/b', 'c d', String.raw`\#h`, String.raw`\!n`, '[ab]', '?', '# a', 'x.txt   ', '', '/*', '/', '!/a', String.raw`\[k\]`]; // prettier-ignore
const FOLDERS = 40;

const gitFiles = (top: string): string[] =>
  execFileSync('git', ['ls-files', '-zco', '--exclude-standard'], { cwd: top, encoding: 'utf8' }).split('\0').filter((path) => path !== '').toSorted(); // prettier-ignore

test('random folders with nested ignore files are read as git reads them', async () => {
  const random = randomFrom(11);
  const one = <T>(of: readonly T[]): T => of[random(of.length)] as T;
  const root = await mkdtemp(join(tmpdir(), 'svc-as-git-'));
  onTestFinished(() => rm(root, { recursive: true }));
  let kept = 0;
  let left = 0;
  for (let folder = 0; folder < FOLDERS; folder++) {
    const top = join(root, String(folder));
    const files = new Map<string, string>();
    for (let n = 0; n < 14; n++) {
      const steps = Array.from({ length: 1 + random(3) }, () => one(NAMES));
      files.set(`${steps.slice(0, -1).map((step) => `${step}.d/`).join('')}${steps.at(-1) ?? 'a'}`, ''); // prettier-ignore
      files.set(`${steps.join('/')}/leaf`, '');
    }
    for (const below of ['', `${one(NAMES)}/`, `${one(NAMES)}.d/`, 'a/b/'])
      files.set(`${below}.gitignore`, Array.from({ length: 1 + random(4) }, () => one(PATTERNS)).join('\n'));
    for (const [path, content] of files) {
      // A name is a file here and a folder there: the first one stays.
      await mkdir(dirname(join(top, path)), { recursive: true }).then(() => writeFile(join(top, path), content, { flag: 'wx' })).catch(() => undefined); // prettier-ignore
    }
    execFileSync('git', ['init', '-q', top]);
    const git = gitFiles(top);
    const source = await listSource(top);
    const rules = [...files].filter(([path]) => path.endsWith('.gitignore'));
    expect({ rules, files: source.files }).toEqual({ rules, files: git });
    kept += source.files.length;
    left += source.ignored.length;
  }
  expect(kept).toBeGreaterThan(FOLDERS);
  expect(left).toBeGreaterThan(FOLDERS);
});

test('in a linked work tree, and in a folder that its repository ignores, the rules that are about its files count', async () => {
  const root = await mkdtemp(join(tmpdir(), 'svc-as-git-'));
  onTestFinished(() => rm(root, { recursive: true }));
  const top = join(root, 'top');
  const put = async (path: string, content = ''): Promise<void> => {
    await mkdir(dirname(join(top, path)), { recursive: true });
    await writeFile(join(top, path), content);
  };
  const git = (...args: string[]) => execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.example', ...args], { cwd: top });
  execFileSync('git', ['init', '-q', top]);
  await put('.gitignore', 'agents/\n*.secretcfg\n');
  await put('.git/info/exclude', 'excluded.cfg\n');
  git('add', '.gitignore');
  git('commit', '-qm', 'a');
  for (const name of ['a.secretcfg', 'excluded.cfg', 'agent.ts']) await put(`agents/kit/${name}`);
  expect((await listSource(join(top, 'agents/kit'))).files).toEqual(['agent.ts']);
  // Whoever keeps their home in a repository ignores everything in it.
  await put('.gitignore', '*\n!.gitignore\n*.secretcfg\n');
  expect((await listSource(join(top, 'agents/kit'))).files).toEqual(['agent.ts']);
  git('worktree', 'add', '-q', join(root, 'linked'), 'HEAD');
  for (const name of ['excluded.cfg', 'agent.ts']) await writeFile(join(root, 'linked', name), '');
  expect((await listSource(join(root, 'linked'))).files).toEqual(['.gitignore', 'agent.ts']);
});

test('a key is known behind what says how it is encrypted', async () => {
  const root = await mkdtemp(join(tmpdir(), 'svc-keys-'));
  onTestFinished(() => rm(root, { recursive: true }));
  const body = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDLx7';
  const keys = {
    encrypted: `-----BEGIN RSA PRIVATE KEY-----\r\nProc-Type: 4,ENCRYPTED\r\nDEK-Info: AES-128-CBC,00\r\n\r\n${body}\r\n`,
    pgp: `-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n${body}\n`,
    none: '-----BEGIN RSA PRIVATE KEY-----\n\nYour key here\n',
  };
  for (const [name, text] of Object.entries(keys)) await writeFile(join(root, name), text);
  expect(await Promise.all(Object.keys(keys).map((name) => secretOf(root, name)))).toEqual(['a private key', 'a private key', undefined]);
});

test('what a person ignores everywhere is left out, unless a repository says otherwise', async () => {
  const root = await mkdtemp(join(tmpdir(), 'svc-everywhere-'));
  onTestFinished(() => rm(root, { recursive: true }));
  const put = async (path: string, content = ''): Promise<void> => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  };
  vi.stubEnv('GIT_CONFIG_GLOBAL', join(root, 'config'));
  vi.stubEnv('XDG_CONFIG_HOME', join(root, 'xdg'));
  onTestFinished(() => void vi.unstubAllEnvs());
  await put('rules', '*.private\nnotes.md\nscratch/\n');
  await put('xdg/git/ignore', '*.usual\n');
  const project = async (name: string): Promise<string[]> => {
    for (const file of ['a.private', 'a.usual', 'notes.md', 'scratch/x', 'agent.ts']) await put(`${name}/${file}`);
    execFileSync('git', ['init', '-q', join(root, name)]);
    await put(`${name}/.git/info/exclude`, '!notes.md\n');
    await put(`${name}/.gitignore`, '!scratch/\n');
    const { files } = await listSource(join(root, name));
    expect(files).toEqual(gitFiles(join(root, name)));
    return files;
  };
  expect(await project('without')).not.toContain('a.usual');
  await put('config', `[core]\n  excludesFile = ${join(root, 'rules')}\n`);
  expect(await project('with')).toEqual(['.gitignore', 'a.usual', 'agent.ts', 'notes.md', 'scratch/x']);
  await put('config', '[core]\n  excludesFile =\n');
  expect(await project('none')).toContain('a.private');
  // No work tree: a folder that was copied out of one.
  await put('config', `[core]\n  excludesFile = ${join(root, 'rules')}\n`);
  for (const file of ['a.private', 'agent.ts']) await put(`copied/${file}`);
  expect((await listSource(join(root, 'copied'))).files).toEqual(['agent.ts']);
});
