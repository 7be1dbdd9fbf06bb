// The SDK as a file in the author's project: npm installs it from there, wherever the project goes, until it
// is published.
import { cp, mkdir, readFile, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { create } from 'tar';
import { VERSION } from '#version.ts';
import { buildIfStale, SDK_FOLDER } from './sdk.ts';

const ARCHIVE = `svc-sdk-${VERSION}.tgz`;
/** What package.json says of it. */
export const SDK_SPEC = `file:vendor/${ARCHIVE}`;
/** In a published package of the tool it is there already. */
const READY = join(SDK_FOLDER, ARCHIVE);

export async function vendorSdk(project: string, archive = join('vendor', ARCHIVE)): Promise<void> {
  const file = join(project, archive);
  await mkdir(dirname(file), { recursive: true });
  if (existsSync(READY)) return await cp(READY, file);
  await buildIfStale();
  await packSdk(SDK_FOLDER, file);
}

/**
 * The archive that package.json names, where it is absent: uploads leave it out, so that a clone has none and
 * npm would install nothing. Resolves with its path.
 */
export async function restoreSdk(project: string): Promise<string | undefined> {
  const text = await readFile(join(project, 'package.json'), 'utf8').catch(() => '');
  const archive = /"file:(?:\.\/)?(vendor\/svc-sdk-[\w.+-]+\.tgz)"/.exec(text)?.[1];
  if (archive === undefined || existsSync(join(project, archive))) return undefined;
  await vendorSdk(project, archive);
  return archive;
}

/** As npm pack does; the same bytes for the same files. */
export async function packSdk(sdk: string, archive: string): Promise<void> {
  await rm(archive, { force: true });
  const prefix = 'package';
  await create({ file: archive, cwd: sdk, gzip: { level: 9 }, portable: true, prefix, mtime: new Date('2000-01-01T00:00:00Z') }, ['package.json', 'dist']);
}
