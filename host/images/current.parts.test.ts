// A host that runs takes newer images without a restart, and no sooner than they are whole. Those of two
// editions are this machine's own under two names.
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { cacheFolder } from '#stack/setup/folders.mjs';
import { baseDisk } from '../microvm/images/base.ts';
import { debianTree } from '../microvm/images/debian.mjs';
import { type Edition, writeEdition } from '../microvm/images/edition.ts';
import { ensureImages } from '../microvm/images/images.ts';
import { kernelFolder } from '../microvm/images/kernel.ts';
import { currentImages } from './current.ts';
import { imagesInUse, namesOf } from './in-use.ts';

let root: string;
beforeEach(async () => (root = await mkdtemp(join(tmpdir(), 'svc-current-'))));
afterEach(() => rm(root, { recursive: true, force: true }));

test('after a refresh machines get the new kernel and base; the guest entry is still the one that the host knows', async () => {
  const real = cacheFolder(process.env);
  const { base, kernel } = await ensureImages({ cacheDir: real });
  const dir = join(root, 'microvm');
  await mkdir(dir);
  const newer: Edition = { kernel: '9.9.9-1', debian: 'newer' };
  for (const edition of [{}, newer]) {
    await symlink(join(kernel, '..'), join(dir, kernelFolder(edition)));
    await symlink(base, join(dir, debianTree(edition)));
    await symlink(base, join(dir, await baseDisk(edition)));
  }
  const images = await currentImages({ cacheDir: root, stateDir: root });
  const before = images.now();
  expect(basename(before.base)).toBe(await baseDisk({}));
  expect(await images.look()).toBeUndefined();
  expect(await imagesInUse(root)).toEqual(new Set(namesOf(before)));
  await writeEdition(dir, newer);
  expect(images.now()).toBe(before);
  expect(await images.look()).toEqual({ from: {}, to: newer });
  const after = images.now();
  expect(after).toMatchObject({ kernel: join(dir, kernelFolder(newer), 'vmlinux'), base: join(dir, await baseDisk(newer)), guest: before.guest });
  // The old ones are free to be removed once it has moved.
  expect(await imagesInUse(root)).toEqual(new Set(namesOf(after)));
  expect(after.initrd).not.toBe(before.initrd);
  expect(await images.look()).toBeUndefined();
});
