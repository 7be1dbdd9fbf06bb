// What a refresh would bring, asked of a real apt with an archive on disk; and how old images say they are.
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { aboutImages } from './about.ts';
import { newerThan } from './apt.ts';
import { debianTree } from './debian.mjs';
import { readEdition, writeEdition } from './edition.ts';
import { kernelFolder } from './kernel.ts';

let dir: string;
beforeEach(async () => (dir = await mkdtemp(join(tmpdir(), 'svc-newer-'))));
afterEach(() => rm(dir, { recursive: true, force: true }));

const packageOf = (name: string, version: string, more = ''): string =>
  `Package: ${name}\nVersion: ${version}\nArchitecture: amd64\nMaintainer: Nobody <nobody@example.org>\nDescription: test\n${more}`;

/** An archive of these packages. */
async function archive(packages: Record<string, string>): Promise<void> {
  await mkdir(join(dir, 'archive'), { recursive: true });
  const entries = Object.entries(packages).map(([name, version]) => packageOf(name, version, `Filename: ./${name}.deb\nSize: 1\nSHA256: ${'0'.repeat(64)}\n`));
  await writeFile(join(dir, 'archive', 'Packages'), entries.join('\n'));
  await writeFile(join(dir, 'archive', 'Release'), 'Origin: Debian\nLabel: Debian-Security\nSuite: stable-security\nVersion: 12\nCodename: test\n');
}

/** The tar file of a tree that has these packages, and fetches from that archive. */
async function tree(edition: { debian?: string }, packages: Record<string, string>, source = `file:${join(dir, 'archive')}`): Promise<string> {
  const root = join(dir, 'tree');
  for (const folder of ['etc/apt/trusted.gpg.d', 'var/lib/dpkg']) await mkdir(join(root, folder), { recursive: true });
  await writeFile(join(root, 'etc/apt/sources.list'), `deb [trusted=yes] ${source} ./\n`);
  await writeFile(join(root, 'etc/debian_version'), '12.15\n');
  const installed = Object.entries(packages).map(([name, version]) => packageOf(name, version, 'Status: install ok installed\n'));
  await writeFile(join(root, 'var/lib/dpkg/status'), installed.join('\n'));
  const tar = join(dir, debianTree(edition));
  execFileSync('tar', ['-cf', tar, '-C', root, '.']);
  return tar;
}

test('a package with a fix is found, with its versions; what is current is not named, and nothing is left behind', async () => {
  const tar = await tree({}, { libssl3: '3.0.16-1', bash: '5.2-1' });
  await archive({ libssl3: '3.0.17-1', bash: '5.2-1' });
  expect(await newerThan(dir, tar)).toEqual([{ package: 'libssl3', from: '3.0.16-1', to: '3.0.17-1', security: true }]);
  await archive({ libssl3: '3.0.16-1' });
  expect(await newerThan(dir, tar)).toEqual([]);
  expect((await readdir(dir)).filter((name) => name.startsWith('.apt-'))).toEqual([]);
});

test('an archive that does not answer is an error, and not "nothing is newer"', async () => {
  const tar = await tree({}, { libssl3: '3.0.16-1' }, `file:${join(dir, 'no-such-archive')}`);
  await expect(newerThan(dir, tar)).rejects.toThrow('apt-get');
});

test('the images of another edition stand beside the old ones, and each says its version and day', async () => {
  await archive({});
  await tree({}, {});
  const old = join(dir, debianTree({}));
  await utimes(old, 1_700_000_000, 1_700_000_000);
  await mkdir(join(dir, kernelFolder({})));
  const banner = 'Linux version 6.1.0-1-cloud-amd64 (gcc-12) #1 SMP PREEMPT_DYNAMIC Debian 6.1.4-1 (2023-01-07)\n\0';
  // Across the border of what is read at once.
  await writeFile(join(dir, kernelFolder({}), 'vmlinux'), Buffer.concat([Buffer.alloc(1_048_576 - 40), Buffer.from(banner)]));
  expect(await aboutImages(dir, await readEdition(dir))).toEqual({
    kernel: { version: '6.1.4-1', of: new Date('2023-01-07T00:00:00Z') },
    base: { version: 'Debian 12.15', of: new Date(1_700_000_000_000) },
  });
  const newer = { kernel: '6.1.192-2', debian: 'abc' };
  expect([kernelFolder(newer), debianTree(newer)]).not.toEqual([kernelFolder({}), debianTree({})]);
  await writeEdition(dir, newer);
  expect(await readEdition(dir)).toEqual(newer);
  expect(await aboutImages(dir, newer)).toEqual({});
});
