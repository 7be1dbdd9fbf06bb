// `npm run refresh`: a newer kernel and newer Debian packages for guests, in images beside the old ones.
// Nothing that runs is touched.
import { join } from 'node:path';
import { aboutImages, type AboutImages } from '../microvm/images/about.ts';
import { type Apt, newerThan, type Newer, withMachineArchives, withTreeArchives } from '../microvm/images/apt.ts';
import { ensureBase } from '../microvm/images/base.ts';
import { exclusively, hashOf } from '../microvm/images/cache.ts';
import { debianTree } from '../microvm/images/debian.mjs';
import { type Edition, readEdition, writeEdition } from '../microvm/images/edition.ts';
import { ensureImages } from '../microvm/images/images.ts';
import { ensureKernel, isKernelKnown, newestKernel } from '../microvm/images/kernel.ts';
import { namesOf } from './in-use.ts';
import { removeUnused } from './remove-unused.ts';

interface Around {
  cacheDir: string;
  print(line: string): void;
  onProgress(text: string): void;
}

/** Answers true when what there is to bring was brought. */
export async function refreshImages({ cacheDir, print, onProgress }: Around): Promise<boolean> {
  const dir = join(cacheDir, 'microvm');
  return exclusively(`refresh-${hashOf(dir)}`, async () => {
    const before = await readEdition(dir);
    const about = await aboutImages(dir, before);
    if (about.base === undefined || about.kernel === undefined) {
      print('There are no guest images yet: `npm run setup` makes them, of what is current.');
      return true;
    }
    const left: string[] = [];
    const leave = (what: string) => (error: unknown) => {
      left.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    };
    const kernel = await newerKernel(dir, before, about, onProgress).catch(leave('the kernel'));
    const base = await newerBase(dir, before, onProgress).catch(leave('the base image'));
    const after: Edition = { ...before, ...(kernel && { kernel }), ...(base && { debian: base.debian }) };
    if (kernel !== undefined || base !== undefined) {
      await ensureImages({ cacheDir, edition: after, onProgress });
      await writeEdition(dir, after);
      if (kernel !== undefined) print(`Kernel: ${about.kernel.version} -> ${kernel}`);
      for (const line of described(base?.brought ?? [])) print(line);
      print('New starts and deploys use them from now on; a running host takes them within a minute. What runs or sleeps keeps the images it was started on.');
      print(`Agents that serve move with \`svc upgrade AGENT${base === undefined ? ' --force' : ''}\`, or with their next deploy.`);
    } else if (left.length === 0) print(`Nothing is newer: kernel ${about.kernel.version}, base image ${about.base.version}.`);
    // A running host uses the previous ones for another minute.
    await tidy(cacheDir, kernel === undefined && base === undefined ? [after] : [before, after], print);
    for (const one of base?.left ?? []) print(`Left: ${one.package} ${one.from}, although ${one.to} is there: apt holds it back.`);
    for (const one of left) print(`Left: ${one}`);
    print('Not part of this: Node and bun of the guests come with a new version of the platform, QEMU and PostgreSQL with the updates of this machine.');
    return left.length === 0;
  });
}

async function tidy(cacheDir: string, editions: readonly Edition[], print: Around['print']): Promise<void> {
  const current: string[] = [];
  for (const edition of editions) current.push(...namesOf(await ensureImages({ cacheDir, edition })), debianTree(edition));
  const { removed, bytes, kept } = await removeUnused(cacheDir, current);
  if (removed.length > 0) print(`Removed: ${removed.length} old images that nothing uses (${Math.ceil(bytes / 1_048_576)} MiB).`);
  if (kept.length > 0) print(`Kept: ${kept.length} old images that a host, a machine or a snapshot still uses. A later refresh removes them.`);
}

/** Version of the new one; undefined: none is newer. */
async function newerKernel(dir: string, before: Edition, { kernel: current }: AboutImages, onProgress: Around['onProgress']): Promise<string | undefined> {
  onProgress('kernel: asking what is newer');
  const bring = async (apt: Apt): Promise<string | undefined> => {
    const { version } = await newestKernel(apt);
    if (version === current?.version) return undefined;
    await ensureKernel(dir, { kernel: version }, onProgress, apt);
    return version;
  };
  return (await isKernelKnown()) ? withMachineArchives(dir, bring) : withTreeArchives(dir, join(dir, debianTree(before)), bring);
}

/** A new tree has what is current: it is installed from nothing. */
async function newerBase(
  dir: string,
  before: Edition,
  onProgress: Around['onProgress'],
): Promise<{ debian: string; brought: Newer[]; left: Newer[] } | undefined> {
  onProgress('base image: asking what is newer');
  const newer = await newerThan(dir, join(dir, debianTree(before)));
  if (newer.length === 0) return undefined;
  const debian = hashOf(before.debian ?? '', ...newer.map((one) => `${one.package}=${one.to}`));
  await ensureBase(dir, { debian }, onProgress);
  const left = await newerThan(dir, join(dir, debianTree({ debian })));
  return { debian, brought: newer.filter((one) => !left.some((other) => other.package === one.package)), left };
}

function described(brought: readonly Newer[]): string[] {
  if (brought.length === 0) return [];
  const fixes = brought.filter((one) => one.security).length;
  return [
    `Base image: ${brought.length} ${brought.length === 1 ? 'package' : 'packages'}, ${fixes} of them from the security archive`,
    ...brought.map((one) => `  ${one.package} ${one.from} -> ${one.to}`),
  ];
}
