// The SDK as a file in the author's project: npm installs it from there, wherever the project goes, until it
// is published.
import { cp, mkdir, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { create } from 'tar';
import { VERSION } from '#version.ts';
import { buildIfStale, SDK_FOLDER } from './sdk.ts';

const ARCHIVE = `svc-sdk-${VERSION}.tgz`;
/** What package.json says of it. */
export const SDK_SPEC = `file:vendor/${ARCHIVE}`;
/** In a published package of the tool it is there already. */
const READY = join(SDK_FOLDER, ARCHIVE);

export async function vendorSdk(project: string): Promise<void> {
  const folder = join(project, 'vendor');
  await mkdir(folder, { recursive: true });
  if (existsSync(READY)) return await cp(READY, join(folder, ARCHIVE));
  await buildIfStale();
  await packSdk(SDK_FOLDER, join(folder, ARCHIVE));
}

/** As npm pack does; the same bytes for the same files. */
export async function packSdk(sdk: string, archive: string): Promise<void> {
  await rm(archive, { force: true });
  const prefix = 'package';
  await create({ file: archive, cwd: sdk, gzip: { level: 9 }, portable: true, prefix, mtime: new Date('2000-01-01T00:00:00Z') }, ['package.json', 'dist']);
}
