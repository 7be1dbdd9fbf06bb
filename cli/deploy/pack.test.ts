import { mkdir, mkdtemp, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { list } from 'tar';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listSource, packProject } from './pack.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-pack-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function put(...paths: string[]): Promise<void> {
  for (const path of paths) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), `content of ${path}`);
  }
}

test('secrets, history and what installers make stay at home, at any depth', async () => {
  await put('svc.yaml', 'agent.ts', 'package-lock.json', '.gitignore', '.env.example', 'lib/util.ts', 'dist/kept.js');
  await put(
    '.env',
    '.env.local',
    'lib/.env',
    '.git/config',
    'node_modules/x/index.js',
    'lib/node_modules/y.js',
    '.svc/agent.dsl.json',
    '.npmrc',
    'debug.log',
    '.DS_Store',
    '__pycache__/a.pyc',
  );
  expect(await listSource(folder)).toEqual({
    files: ['.env.example', '.gitignore', 'agent.ts', 'dist/kept.js', 'lib/util.ts', 'package-lock.json', 'svc.yaml'],
    skipped: [],
    ignored: ['.env', '.env.local', '.npmrc', 'debug.log', 'lib/.env'],
  });
});

test('.svcignore adds patterns and may take back the usual ones, never the secrets', async () => {
  await put('svc.yaml', 'keep.log', 'data/big.bin', 'data/small.txt', '.env', '.npmrc', 'notes.md');
  await writeFile(join(folder, '.svcignore'), '# mine\n!keep.log\ndata/*\n!data/small.txt\n/notes.md\n!.env\n');
  expect((await listSource(folder)).files).toEqual(['.svcignore', 'data/small.txt', 'keep.log', 'svc.yaml']);
});

test('links are named and left out: nothing from outside the project is uploaded', async () => {
  await put('svc.yaml');
  await symlink('/etc/passwd', join(folder, 'passwd'));
  await symlink('/etc', join(folder, 'etc'));
  expect(await listSource(folder)).toEqual({ files: ['svc.yaml'], skipped: ['etc', 'passwd'], ignored: [] });
});

test('the same files make the same archive, for any user at any time', async () => {
  await put('svc.yaml', 'agent.ts', 'lib/a b.ts', 'lib/ü.ts');
  const first = await packProject(folder);
  await utimes(join(folder, 'agent.ts'), new Date(0), new Date(0));
  const second = await packProject(folder);
  try {
    expect(second.sha256).toBe(first.sha256);
    const entries: string[] = [];
    await list({
      file: first.archive,
      onReadEntry: (entry) => {
        entries.push(`${entry.type} ${entry.path} ${entry.uid ?? 'nobody'}`);
      },
    });
    expect(entries).toEqual(['File agent.ts nobody', 'File lib/a b.ts nobody', 'File lib/ü.ts nobody', 'File svc.yaml nobody']);
  } finally {
    await Promise.all([first.remove(), second.remove()]);
  }
  await expect(readFile(first.archive)).rejects.toThrow('ENOENT');
});

test('a folder with nothing to deploy says so', async () => {
  await put('.env');
  await expect(packProject(folder)).rejects.toThrow('nothing to deploy');
});

test('files whose names begin with @ or - are files', async () => {
  await put('svc.yaml', '@types/x.d.ts', '-C', '@archive.tar');
  const packed = await packProject(folder);
  const entries: string[] = [];
  await list({
    file: packed.archive,
    onReadEntry: (entry) => {
      entries.push(entry.path.replace(/^\.\//, ''));
    },
  });
  await packed.remove();
  expect(entries.sort()).toEqual(['-C', '@archive.tar', '@types/x.d.ts', 'svc.yaml']);
});
