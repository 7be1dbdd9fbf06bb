// What lies as files in the state folder: repositories, layers of agents, disks of dev boxes.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContentWriter } from './contents.ts';
import { storeFile } from './files.ts';
import { archiveOf, folderState, isGone, storeFolder, unlessBusy } from './folder.ts';
import { boxSleeps } from './machines.ts';
import type { NamedContent } from './manifest.ts';
import { repositoriesIn, repositoryState, withRepositorySnapshot } from './repositories.ts';

interface Options {
  writer: ContentWriter;
  signal: AbortSignal;
  known: readonly NamedContent[];
}

export async function backUpRepositories({ writer, signal, known }: Options, root: string, scratchDir: string): Promise<NamedContent[]> {
  const all: NamedContent[] = [];
  for (const name of await repositoriesIn(root)) {
    signal.throwIfAborted();
    const folder = join(root, name);
    const state = await repositoryState(folder).catch(unlessGone);
    const earlier = known.find((one) => one.name === name && one.stamp === state?.stamp);
    if (earlier && writer.has(earlier)) all.push(earlier);
    else if (state) {
      const store = async (snapshot: string) => writer.write(archiveOf(snapshot, await folderState(snapshot)));
      const content = await withRepositorySnapshot(folder, scratchDir, store).catch(unlessGone);
      if (content) all.push({ name, stamp: state.stamp, ...content });
    }
  }
  return all;
}

/** Its agent was deleted meanwhile. */
function unlessGone(error: unknown): undefined {
  if (!isGone(error)) throw error;
}

/** Of agents: with them a restored agent starts without a build. A layer never changes. */
export async function backUpLayers(writer: ContentWriter, stateDir: string, known: readonly NamedContent[]): Promise<NamedContent[]> {
  const folder = join(stateDir, 'image');
  const all: NamedContent[] = [];
  for (const file of await readdir(folder).catch(() => [])) {
    if (!/^[0-9a-f]{64}\./.test(file)) continue;
    const stored = await storeFile(writer, join(folder, file), known).catch(unlessGone);
    if (stored) all.push(stored);
  }
  return all;
}

/** A box that somebody works in is left out: its disk is never the same for long. */
export async function backUpBoxes({ writer, signal, known }: Options, root: string): Promise<{ stored: NamedContent[]; busy: string[] }> {
  const stored: NamedContent[] = [];
  const busy: string[] = [];
  for (const name of await readdir(root).catch(() => [])) {
    signal.throwIfAborted();
    const folder = join(root, name);
    const earlier = known.find((one) => one.name === name);
    const reuse = (stamp: string) => (earlier?.stamp === stamp ? earlier : undefined);
    const one = boxSleeps(folder) ? await storeFolder(writer, folder, { known: reuse }).catch(unlessBusy) : undefined;
    if (!one || !boxSleeps(folder)) busy.push(name);
    else stored.push({ name, stamp: one.stamp, bytes: one.content.bytes, sha256: one.content.sha256, chunks: one.content.chunks });
  }
  return { stored, busy };
}
