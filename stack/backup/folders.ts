// What lies as files in the state folder: repositories, layers of agents, disks of dev boxes.
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContentWriter } from './contents.ts';
import { storeFolder, unlessBusy } from './folder.ts';
import { boxSleeps } from './machines.ts';
import type { NamedContent } from './manifest.ts';
import { isOfRepository, repositoriesIn } from './repositories.ts';

interface Options {
  writer: ContentWriter;
  signal: AbortSignal;
  known: readonly NamedContent[];
}

async function storeNamed(
  { writer, signal, known }: Options,
  name: string,
  folder: string,
  wanted?: (path: string) => boolean,
): Promise<NamedContent | undefined> {
  signal.throwIfAborted();
  const earlier = known.find((one) => one.name === name);
  const stored = await storeFolder(writer, folder, { ...(wanted && { wanted }), known: (stamp) => (earlier?.stamp === stamp ? earlier : undefined) });
  if (stored === undefined) return undefined;
  const { bytes, sha256, chunks } = stored.content;
  return { name, stamp: stored.stamp, bytes, sha256, chunks };
}

export async function backUpRepositories(options: Options, root: string): Promise<NamedContent[]> {
  const all: NamedContent[] = [];
  for (const name of await repositoriesIn(root)) {
    const one = await storeNamed(options, name, join(root, name), isOfRepository);
    if (one) all.push(one);
  }
  return all;
}

/** Of agents: with them a restored agent starts without a build. A layer never changes. */
export async function backUpLayers(writer: ContentWriter, stateDir: string, known: readonly NamedContent[]): Promise<NamedContent[]> {
  const folder = join(stateDir, 'image');
  const all: NamedContent[] = [];
  for (const file of await readdir(folder).catch(() => [])) {
    if (!/^[0-9a-f]{64}\./.test(file)) continue;
    const name = join(folder, file);
    const earlier = known.find((one) => one.name === name);
    if (earlier && writer.has(earlier)) all.push(earlier);
    else {
      const about = await stat(name).catch(() => undefined);
      if (about) all.push({ name, stamp: `${about.size}:${Math.floor(about.mtimeMs)}`, ...(await writer.write(createReadStream(name))) });
    }
  }
  return all;
}

/** A box that somebody works in is left out: its disk is never the same for long. */
export async function backUpBoxes(options: Options, root: string): Promise<{ stored: NamedContent[]; busy: string[] }> {
  const stored: NamedContent[] = [];
  const busy: string[] = [];
  for (const name of await readdir(root).catch(() => [])) {
    const folder = join(root, name);
    const one = boxSleeps(folder) ? await storeNamed(options, name, folder).catch(unlessBusy) : undefined;
    if (one && boxSleeps(folder)) stored.push(one);
    else busy.push(name);
  }
  return { stored, busy };
}
