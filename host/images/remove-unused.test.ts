// Old images go once no host, machine or snapshot names them. Real files; nothing boots.
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Record, writeRecord } from '../microvm/qemu/record.ts';
import { noteImages } from './in-use.ts';
import { removeUnused } from './remove-unused.ts';

let root: string;
let cacheDir: string;
let stateDir: string;
let dir: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-unused-'));
  [cacheDir, stateDir] = [join(root, 'cache'), join(root, 'state')];
  dir = join(cacheDir, 'microvm');
  for (const folder of [dir, join(stateDir, 'vm'), join(cacheDir, 'template')]) await mkdir(folder, { recursive: true });
});
afterEach(() => rm(root, { recursive: true, force: true }));

const imagesOf = (edition: string) => ({
  kernel: join(dir, `kernel-${edition}`, 'vmlinux'),
  initrd: join(dir, `initrd-${edition}.cpio`),
  base: join(dir, `base-${edition}.erofs`),
  guest: join(dir, `guest-${edition}.erofs`),
});
const namesOf = (edition: string): string[] => [
  `base-${edition}.erofs`,
  `debian-${edition}.tar`,
  `guest-${edition}.erofs`,
  `initrd-${edition}.cpio`,
  `kernel-${edition}`,
];

/** Images of 100 bytes each, made so long ago. */
async function make(edition: string, hoursAgo = 48): Promise<void> {
  await mkdir(join(dir, `kernel-${edition}`, 'modules'), { recursive: true });
  await writeFile(join(dir, `kernel-${edition}`, 'vmlinux'), 'x'.repeat(60));
  await writeFile(join(dir, `kernel-${edition}`, 'modules', 'a.ko'), 'x'.repeat(40));
  for (const name of namesOf(edition)) if (!name.startsWith('kernel')) await writeFile(join(dir, name), 'x'.repeat(100));
  const at = Date.now() / 1_000 - hoursAgo * 3_600;
  for (const name of namesOf(edition)) await utimes(join(dir, name), at, at);
}

/** The record that a machine, or a snapshot of one, has in its folder. */
async function started(folder: string, edition: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const record: Record = { version: 1, id: 'm', memory_mib: 64, cpus: 1, scratch_mib: 1, ...imagesOf(edition), append: '', accelerator: 'tcg', clock_rate_khz: 1, debug_console: false, phase: 'suspended', boot_id: 'b', durable: true }; // prettier-ignore
  await writeRecord(folder, record);
}
const left = async (): Promise<string[]> => (await readdir(dir)).filter((name) => name !== 'hosts').toSorted();

test('of four editions the current one stays, and each that a host, a sleeping machine or a snapshot names', async () => {
  for (const edition of ['aa', 'bb', 'cc', 'dd', 'ee']) await make(edition);
  await writeFile(join(dir, 'tools-python-aa.erofs'), 'not of machines');
  await noteImages(cacheDir, stateDir, imagesOf('bb'));
  await started(join(stateDir, 'vm', 'i1', 'machine'), 'cc');
  await started(join(cacheDir, 'template', 'agents-1'), 'dd');
  const result = await removeUnused(cacheDir, namesOf('ee'));
  // What trees are packed of is of no use to what runs.
  expect(result.removed).toEqual([...namesOf('aa'), ...['bb', 'cc', 'dd'].map((edition) => `debian-${edition}.tar`)].toSorted());
  expect(result.bytes).toBe(800);
  const kept = ['bb', 'cc', 'dd'].flatMap(namesOf).filter((name) => !name.startsWith('debian')).toSorted(); // prettier-ignore
  expect(result.kept).toEqual(kept);
  expect(await left()).toEqual([...kept, ...namesOf('ee'), 'tools-python-aa.erofs'].toSorted());
});

test('they go when the machine, the snapshot and the host have moved', async () => {
  for (const edition of ['aa', 'bb']) await make(edition);
  await noteImages(cacheDir, stateDir, imagesOf('aa'));
  await started(join(stateDir, 'box-vm', 'b1'), 'aa');
  expect((await removeUnused(cacheDir, namesOf('bb'))).removed).toEqual(['debian-aa.tar']);
  await noteImages(cacheDir, stateDir, imagesOf('bb'));
  expect((await removeUnused(cacheDir, namesOf('bb'))).removed).toEqual([]);
  await started(join(stateDir, 'box-vm', 'b1'), 'bb');
  expect(await removeUnused(cacheDir, namesOf('bb'))).toEqual({ removed: namesOf('aa').filter((name) => !name.startsWith('debian')), bytes: 400, kept: [] });
});

test('an installation that was removed needs nothing, one beside it what it says; what was made just now is not touched', async () => {
  for (const edition of ['aa', 'bb']) await make(edition);
  await make('cc', 0);
  const other = join(root, 'other');
  await mkdir(other);
  await noteImages(cacheDir, join(root, 'gone'), imagesOf('aa'));
  await noteImages(cacheDir, other, imagesOf('bb'));
  const { removed } = await removeUnused(cacheDir, []);
  expect(removed).toEqual([...namesOf('aa'), 'debian-bb.tar'].toSorted());
  expect(await readdir(join(dir, 'hosts'))).toHaveLength(1);
});

test('a record of another version keeps what it names', async () => {
  await make('aa');
  await noteImages(cacheDir, stateDir, imagesOf('bb'));
  const folder = join(stateDir, 'vm', 'i1', 'machine');
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, 'machine.json'),
    JSON.stringify({ version: 2, disks: [`/cache/microvm/base-aa.erofs`], boot: '/cache/microvm/kernel-aa/vmlinux' }),
  );
  expect((await removeUnused(cacheDir, [])).kept).toEqual(['base-aa.erofs', 'kernel-aa']);
});
