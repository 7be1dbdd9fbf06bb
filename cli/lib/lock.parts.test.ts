import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withLock } from './lock.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-lock-'));
});
afterAll(() => rm(folder, { recursive: true }));

test('one at a time; nothing stays behind', async () => {
  const path = join(folder, 'one');
  let inside = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 20 }, () =>
      withLock(path, async () => {
        most = Math.max(most, ++inside);
        await new Promise((resolve) => setImmediate(resolve));
        inside--;
      }),
    ),
  );
  expect(most).toBe(1);
  expect(await readdir(folder)).toEqual([]);
});

test('a failure inside releases it', async () => {
  const path = join(folder, 'two');
  await expect(
    withLock(path, async () => {
      throw new Error('inside');
    }),
  ).rejects.toThrow('inside');
  expect(await withLock(path, async () => 'again')).toBe('again');
});

test('the lock of a dead process, of a reused process number and junk are broken; that of a living one is not', async () => {
  const path = join(folder, 'three');
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  for (const stale of [
    JSON.stringify({ pid: child.pid, started: '1', id: 'x' }),
    JSON.stringify({ pid: process.pid, started: 'long ago', id: 'x' }),
    'junk',
    '',
  ]) {
    await writeFile(path, stale);
    expect(await withLock(path, async () => 'mine')).toBe('mine');
  }
  const started = (await readFile(`/proc/${process.pid}/stat`, 'utf8')).split(') ')[1]?.split(' ')[19] ?? '';
  await writeFile(path, JSON.stringify({ pid: process.pid, started, id: 'alive' }));
  await expect(withLock(path, async () => 'mine', 150)).rejects.toThrow(`process ${process.pid}`);
});

test('many processes break one stale lock and still take turns', async () => {
  const path = join(folder, 'four');
  const counter = join(folder, 'counter');
  await writeFile(counter, '0');
  await writeFile(path, JSON.stringify({ pid: 2 ** 22 + 1, started: '1', id: 'dead' }));
  const program = `
    import { readFile, writeFile } from 'node:fs/promises';
    import { withLock } from ${JSON.stringify(new URL('./lock.ts', import.meta.url).href)};
    for (let i = 0; i < 10; i++) await withLock(${JSON.stringify(path)}, async () => {
      const n = Number(await readFile(${JSON.stringify(counter)}, 'utf8'));
      await new Promise(resolve => setImmediate(resolve));
      await writeFile(${JSON.stringify(counter)}, String(n + 1));
    });`;
  const children = Array.from({ length: 6 }, () => spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' }));
  const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]));
  expect(codes).toEqual([0, 0, 0, 0, 0, 0]);
  expect(await readFile(counter, 'utf8')).toBe('60');
});
