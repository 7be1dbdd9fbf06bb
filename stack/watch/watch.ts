// Restarts parts when a file that they are made of is saved. What cannot be read as TypeScript is shown, and
// the part runs on as it was.
import { watch as watchFolder, type FSWatcher } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { tail } from '../logs.ts';
import { isAlive } from '../process.ts';
import { readRecord, type PartRecord } from '../records.ts';
import { askForRestart } from '../restart.ts';
import { openSources, type Sources } from './sources.ts';

export interface WatchedPart {
  name: string;
  /** Paths from the root. */
  entries: readonly string[];
  stop: { signal: NodeJS.Signals; graceMs: number };
  /** To be done each time that it is up again; resolves with why it could not be done. */
  after?: () => Promise<string | undefined>;
}

export interface Watching {
  root: string;
  run: string;
  logs: string;
  print: (line: string) => void;
  signal: AbortSignal;
}

/** Several files are often saved at once. */
const SETTLE_MS = 150;
const POLL_MS = 50;

/** Resolves when the signal is aborted; all parts run on. Calls `onReady` when every save is seen. */
export async function watchParts(parts: readonly WatchedPart[], around: Watching, onReady: () => void = () => {}): Promise<void> {
  const { root, print, signal } = around;
  const watched = await Promise.all(parts.map(async (part) => ({ part, sources: await openSources(root, part.entries) })));
  for (const { part, sources } of watched) await sources.read().catch((error: Error) => print(`${part.name} cannot be read:\n${error.message}`));
  const saves = new Saves(signal);
  saves.watch(watched.flatMap(({ sources }) => [...sources.folders()]));
  onReady();
  try {
    for (;;) {
      const files = await saves.next();
      if (signal.aborted) return;
      const changed = watched.filter(({ sources }) => files.some((file) => sources.has(file)));
      await Promise.all(changed.map((one) => refresh(one, files, around)));
      saves.watch(watched.flatMap(({ sources }) => [...sources.folders()]));
    }
  } finally {
    saves.close();
    await Promise.all(watched.map(({ sources }) => sources.close()));
  }
}

async function refresh({ part, sources }: { part: WatchedPart; sources: Sources }, files: readonly string[], around: Watching): Promise<void> {
  const { root, run, print } = around;
  try {
    await sources.read();
  } catch (error) {
    print(`${error instanceof Error ? error.message : String(error)}\n${part.name} runs on as it was; it is started again when this is mended.`);
    return;
  }
  const begun = performance.now();
  const names = files.filter((file) => sources.has(file)).map((file) => file.slice(root.length + 1));
  print(`${names.join(', ')}: ${part.name} starts again`);
  const before = readRecord(run, part.name);
  await askForRestart(run, part.name, part.stop);
  const failure = (await started(part.name, before, around)) ?? (around.signal.aborted ? undefined : await part.after?.());
  if (around.signal.aborted) return;
  print(failure ?? `${part.name} is up again after ${((performance.now() - begun) / 1000).toFixed(1)} s`);
}

/** Resolves when another process of the part is well, or with the end of its log when that ended. */
async function started(part: string, before: PartRecord | undefined, { run, logs, signal }: Watching): Promise<string | undefined> {
  while (!signal.aborted) {
    const record = readRecord(run, part);
    const isNew = record?.process !== undefined && record.process.pid !== before?.process?.pid && isAlive(record.process);
    if (isNew && record.state === 'healthy') return undefined;
    if (record && record.restarts > (before?.restarts ?? 0) && record.state === 'restarting') {
      const { lines } = tail(join(logs, `${part}.log`), 15);
      return `${part} does not start (${record.note ?? 'no reason given'}):\n${lines.map((line) => `  ${line}`).join('\n')}\nIt is tried again, at once when a file is saved.`;
    }
    await sleep(POLL_MS, undefined, { signal }).catch(() => {});
  }
  return undefined;
}

/** The files saved in some folders; below them, in folders of their own. */
class Saves {
  private readonly watchers = new Map<string, FSWatcher>();
  private readonly files = new Set<string>();
  private wake: () => void = () => {};
  private readonly signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.signal = signal;
    signal.addEventListener('abort', () => this.wake(), { once: true });
  }

  watch(folders: readonly string[]): void {
    for (const folder of folders) {
      if (this.watchers.has(folder)) continue;
      const watcher = watchFolder(folder, (_, name) => {
        if (name === null) return;
        this.files.add(join(folder, name));
        this.wake();
      });
      // The folder was removed.
      watcher.on('error', () => (watcher.close(), this.watchers.delete(folder)));
      this.watchers.set(folder, watcher);
    }
  }

  /** What was saved since the last call, once nothing more comes for a moment. */
  async next(): Promise<string[]> {
    const { signal } = this;
    while (this.files.size === 0 && !signal.aborted) await new Promise<void>((resolve) => (this.wake = resolve));
    for (let seen = -1; seen !== this.files.size && !signal.aborted;) {
      seen = this.files.size;
      await sleep(SETTLE_MS, undefined, { signal }).catch(() => {});
    }
    const files = [...this.files].sort();
    this.files.clear();
    return files;
  }

  close(): void {
    for (const watcher of this.watchers.values()) watcher.close();
  }
}
