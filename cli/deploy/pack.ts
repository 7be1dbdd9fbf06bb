// A project as a gzipped tar: the same bytes for the same files, without what does not belong to the source.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from 'tar';
import { ARCHIVED_AT, builtFrontend, type Source, type SourceFolder, sourceFiles } from '#contract/wire/source-files.ts';
import { CliError } from '../lib/errors.ts';
import { readProject } from '../project/read.ts';
import { readOwnRules, readRules, rulesAbove } from './ignored.ts';
import { refuseSecrets } from './secrets.ts';
import { refuseTooLarge } from './size.ts';

export interface Packed extends Source {
  /** Path of the archive. */
  archive: string;
  bytes: number;
  sha256: string;
  remove(): Promise<void>;
}

/** @throws CliError that names what looks like a secret, unless that is allowed, or what is too large */
export async function packProject(folder: string, { allowSecrets = false }: { allowSecrets?: boolean } = {}): Promise<Packed> {
  const source = await listSource(folder);
  const { files } = source;
  if (files.length === 0) throw new CliError(`There is nothing to deploy in ${folder}.`);
  if (!allowSecrets) await refuseSecrets(folder, files);
  await refuseTooLarge(folder, files);
  const scratch = await mkdtemp(join(tmpdir(), 'svc-deploy-'));
  const archive = join(scratch, 'source.tar.gz');
  const remove = () => rm(scratch, { recursive: true, force: true });
  try {
    await create({ file: archive, cwd: folder, gzip: { level: 6 }, portable: true, noDirRecurse: true, mtime: ARCHIVED_AT }, files.map(notAnArchive));
    const { size } = await stat(archive);
    return { archive, ...source, bytes: size, sha256: await sha256Of(archive), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** To the library "@x" means the entries of archive x. */
function notAnArchive(path: string): string {
  return path.startsWith('@') ? `./${path}` : path;
}

export async function listSource(folder: string, { silent = false } = {}): Promise<Source> {
  const own = await readOwnRules(folder);
  const frontend = (await readProject(folder).catch(() => undefined))?.manifest.frontend;
  return sourceFiles(onDisk(folder), { above: await rulesAbove(folder), own, frontend: frontend && builtFrontend(frontend), silent });
}

const onDisk = (root: string): SourceFolder => ({
  text: (path) => readRules(root, path),
  list: async (path) =>
    (await readdir(join(root, path), { withFileTypes: true })).map((entry) => ({
      name: entry.name,
      kind: entry.isDirectory() ? ('folder' as const) : entry.isFile() ? ('file' as const) : ('other' as const),
    })),
});

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex');
}
