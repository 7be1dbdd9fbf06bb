import { writeFileSync } from 'node:fs';
import { appendFile, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Watcher, watchProject } from './watch.ts';

let folder: string;
let watcher: Watcher;
let seen: string[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-watch-'));
  await mkdir(join(folder, 'skills'));
  for (const path of ['agent.ts', 'skills/one.ts']) await writeFile(join(folder, path), '1');
  seen = [];
  watcher = watchProject(folder, (paths) => seen.push(...paths), 20);
});
afterEach(async () => {
  watcher.close();
  await rm(folder, { recursive: true, force: true });
});

async function sees(path: string, change: (full: string) => Promise<void>): Promise<void> {
  seen.length = 0;
  await change(join(folder, path));
  await vi.waitFor(() => expect(seen).toContain(path), 10_000);
}
const inPlace = (full: string): Promise<void> => appendFile(full, '2');
/** As many editors do. */
const byRenaming = async (full: string): Promise<void> => {
  await writeFile(`${full}.new`, '3');
  await rename(`${full}.new`, full);
};

it.each(['agent.ts', 'skills/one.ts'])('sees every save of %s, however it is saved', async (path) => {
  for (const save of [inPlace, byRenaming, inPlace, byRenaming, inPlace]) await sees(path, save);
});

it('sees files in folders that are made, moved and made again', async () => {
  await sees('more/deep/two.ts', async (full) => {
    await mkdir(join(folder, 'more/deep'), { recursive: true });
    await writeFile(full, '1');
  });
  await sees('moved/two.ts', () => rename(join(folder, 'more/deep'), join(folder, 'moved')));
  await sees('moved/two.ts', inPlace);
  await sees('skills/one.ts', () => rm(join(folder, 'skills'), { recursive: true }));
  await mkdir(join(folder, 'skills'));
  await sees('skills/one.ts', (full) => writeFile(full, '4'));
});

it('does not see what tools write', async () => {
  await mkdir(join(folder, 'node_modules'));
  await writeFile(join(folder, '.gitignore'), 'generated/\n');
  for (const name of ['.ruff_cache', 'coverage', 'generated']) await mkdir(join(folder, name));
  const editors = ['.agent.ts.swp', 'agent.ts~', '#agent.ts#', 'agent.ts___jb_tmp___', '4913'];
  const programs = ['node_modules/x.js', '.svc', '.ruff_cache/x', 'coverage/lcov.info', 'debug.log', 'notes.db-journal', 'agent.pyc', 'generated/client.ts'];
  for (const path of [...editors, ...programs]) await writeFile(join(folder, path), '1');
  await sees('agent.ts', inPlace);
  expect(seen.filter((path) => path !== '.gitignore')).toEqual(['agent.ts']);
});

it('says once what is saved together', async () => {
  watcher.close();
  const times: (readonly string[])[] = [];
  watcher = watchProject(folder, (paths) => times.push(paths), 1_000);
  for (const path of ['agent.ts', 'skills/one.ts', 'more.ts']) writeFileSync(join(folder, path), '5');
  await vi.waitFor(() => expect(times).toHaveLength(1), 10_000);
  expect(times).toEqual([['agent.ts', 'more.ts', 'skills/one.ts']]);
});

it('watches a project that is reached by a link', async () => {
  watcher.close();
  await symlink(folder, `${folder}-link`);
  watcher = watchProject(`${folder}-link`, (paths) => seen.push(...paths), 20);
  await sees('skills/one.ts', inPlace);
  await rm(`${folder}-link`);
});
