// A project as it is uploaded: without what the tool leaves out of it, packed as the tool packs it.
import { parseManifest } from '#contract/wire/manifest.ts';
import { MOST_KEY_BYTES, secretByContent, secretByName } from '#contract/wire/secret-files.ts';
import { ARCHIVED_AT, builtFrontend, noRules, sourceFiles } from '#contract/wire/source-files.ts';
import { archivedFolder, MOST_ENTRIES, NotAProject, type ProjectFile, type ProjectFolder, tooMuchIn } from './project-folder.ts';

export interface Project {
  name: string;
  /** A gzipped tar. */
  archive: Blob;
  /** What ignore files and the platform leave out, and links: the topmost paths. */
  leftOut: string[];
  /** Files that look like a key, each with what it looks like. */
  keys: string[];
}

export const PACK = "tar czf project.tar.gz --exclude node_modules --exclude .git --exclude '.env*' -C my-agent .";
const GZIP = [0x1f, 0x8b];

/** An archive of which nothing is left out is sent as it is. @throws NotAProject */
export async function archivedProject(file: Blob & { name: string }): Promise<Project> {
  const start = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  if (start[0] !== GZIP[0] || start[1] !== GZIP[1]) throw new NotAProject(`${file.name} is not a gzipped tar. Pack the project: ${PACK}`);
  const { folder, entries } = await archivedFolder(file, file.name);
  const { files, ...found } = await select(folder, file.name);
  return { name: file.name, ...found, archive: files.size === entries ? file : await packed(files) };
}

/** @throws NotAProject */
export async function folderProject(name: string, folder: ProjectFolder): Promise<Project> {
  const { files, ...found } = await select(folder, name);
  return { name, ...found, archive: await packed(files) };
}

interface Selected extends Pick<Project, 'leftOut' | 'keys'> {
  files: ReadonlyMap<string, ProjectFile>;
}

async function select(folder: ProjectFolder, name: string): Promise<Selected> {
  // What is above the folder, and what its person ignores everywhere, no browser shows.
  const above = { ignore: noRules().add(await folder.text('.git/info/exclude')), prefix: '' };
  const frontend = await frontendIn(await folder.text('svc.yaml'));
  const source = await sourceFiles(folder, { above, own: await folder.text('.svcignore'), frontend });
  if (source.files.length === 0) throw new NotAProject(`There is nothing to deploy in ${name}.`);
  if (source.files.length > MOST_ENTRIES) throw tooMuchIn(name);
  const files = new Map<string, ProjectFile>();
  const keys: string[] = [];
  for (const path of source.files) {
    const file = await folder.file(path);
    files.set(path, file);
    const kind = secretByName(path) ?? (file.content.size <= MOST_KEY_BYTES ? secretByContent(new Uint8Array(await file.content.arrayBuffer())) : undefined);
    if (kind !== undefined) keys.push(`${path}: ${kind}`);
  }
  return { files, keys, leftOut: [...source.ignored, ...source.skipped].toSorted() };
}

/** Undefined also where svc.yaml cannot be read: the API says what is wrong with it. */
async function frontendIn(text: string): Promise<string | undefined> {
  if (!text.includes('frontend')) return undefined;
  // yaml: the tool reads svc.yaml with it, too.
  const { parse } = await import('yaml');
  try {
    const { frontend } = parseManifest(parse(text));
    return frontend && builtFrontend(frontend);
  } catch {
    return undefined;
  }
}

export async function packed(files: ReadonlyMap<string, ProjectFile>): Promise<Blob> {
  const { createTarPacker } = await import('modern-tar');
  const { readable, controller } = createTarPacker();
  const archive = new Response(readable.pipeThrough(new CompressionStream('gzip'))).blob();
  const write = async (): Promise<void> => {
    for (const [name, { content, executable }] of files)
      await content.stream().pipeTo(controller.add({ name, size: content.size, type: 'file', mode: executable ? 0o755 : 0o644, mtime: ARCHIVED_AT }));
    controller.finalize();
  };
  return (await Promise.all([archive, write()]))[0];
}
