// Where the TypeScript SDK is, and how a project's editor finds it.
import { execFile } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { lstat, mkdir, readdir, readlink, stat, symlink, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { withLock } from '../lib/lock.ts';

export const SDK_FOLDER = fileURLToPath(new URL('../../sdk/typescript/', import.meta.url));
/** Of the clone, by npm. */
const OWN_NODE = realpathSync(fileURLToPath(new URL('../../', import.meta.url))) + '/node_modules/';
const TOOL = fileURLToPath(new URL('../bin.mjs', import.meta.url));
/**
 * Part of the package, when it is made from its sources: its code names wire/, errors/, crypto/, run/ and
 * more, its declarations nearly all.
 */
const CONTRACT_FOLDER = fileURLToPath(new URL('../../contract/', import.meta.url));

/** A file of the SDK: its source in a clone, what was built of it in a published package. */
export function sdkFile(name: string): string {
  const source = join(SDK_FOLDER, `${name}.ts`);
  return existsSync(source) ? source : join(SDK_FOLDER, 'dist', `${name}.js`);
}

/**
 * Links node_modules/@svc/sdk to the SDK, so that editors and `node --test` find it without an install, and
 * node_modules/.bin/svc to this tool, so that npx finds it there and not a stranger's package of that name.
 * An SDK that npm installed, as package.json says, is not changed.
 */
export async function linkSdk(project: string): Promise<void> {
  await keepLink(join(project, 'node_modules', '.bin', 'svc'), TOOL, async () => {});
  // Its tests are TypeScript: under an older Node of the machine, npm takes the one that this clone brings.
  const node = join(project, 'node_modules', '.bin', 'node');
  if (process.execPath.startsWith(OWN_NODE) && !existsSync(node)) await keepLink(node, process.execPath, async () => {});
  await keepLink(join(project, 'node_modules', '@svc', 'sdk'), SDK_FOLDER.replace(/\/$/, ''), buildIfStale);
}

/** Makes or mends the link, `prepare` first; what is no link is the author's own and stays. */
async function keepLink(link: string, target: string, prepare: () => Promise<void>): Promise<void> {
  const existing = await lstat(link).catch(() => undefined);
  if (existing && !existing.isSymbolicLink()) return;
  await prepare();
  if (existing && (await readlink(link)) === target) return;
  if (existing) await unlink(link);
  await mkdir(dirname(link), { recursive: true });
  await symlink(target, link).catch((error: unknown) => {
    // Another command was quicker.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  });
}

const BUILD_MS = 120_000;

/**
 * In a clone the package is made from its sources; a published one has none and is never stale. Commands that
 * start together build it once: a second build would replace the files while an agent's module loads them.
 */
export async function buildIfStale(): Promise<void> {
  const source = join(SDK_FOLDER, 'build.ts');
  if (!existsSync(source) || !(await isStale())) return;
  const build = async (): Promise<void> => {
    if (await isStale()) await promisify(execFile)(process.execPath, [source]);
  };
  await withLock(join(SDK_FOLDER, 'node_modules', '.svc-build.lock'), build, BUILD_MS);
}

async function isStale(): Promise<boolean> {
  const built = await stat(join(SDK_FOLDER, 'dist')).catch(() => undefined);
  const sources = await Promise.all([SDK_FOLDER, CONTRACT_FOLDER].map(newest));
  return !built || Math.max(...sources) > built.mtimeMs;
}

/** Milliseconds since the epoch of the youngest source. */
async function newest(folder: string): Promise<number> {
  let youngest = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.ts') || /\/(?:dist|node_modules)(?:\/|$)/.test(entry.parentPath.slice(folder.length - 1))) continue;
    youngest = Math.max(youngest, (await stat(join(entry.parentPath, entry.name))).mtimeMs);
  }
  return youngest;
}
