// Which files of the repository reach which, by imports and by what they name (uses.ts).
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { cacheFolder, repository } from '#stack/setup/folders.mjs';
import { usesOf, type Uses } from './uses.ts';

/** What every test stands on. */
const EVERYWHERE = ['package-lock.json', 'vitest.config.ts', 'test/tiers/global-setup.ts', 'test/tiers/wait-timeouts.ts'];

export interface Graph {
  /** Of each file, by its path from the root: SHA-256. */
  contents: ReadonlyMap<string, string>;
  /** Of each file: the files that it uses. */
  edges: ReadonlyMap<string, readonly string[]>;
}

/** Of the work tree as it is: tracked files and new ones. */
export function readGraph(): Graph {
  const files = listed();
  const contents = new Map<string, string>();
  const uses = new Map<string, Uses>();
  const kept = readKept();
  for (const file of files) {
    const bytes = readFileSync(join(repository, file));
    const hash = createHash('sha256').update(bytes).digest('hex');
    contents.set(file, hash);
    // A file's path is part of what its imports mean.
    const key = `${file} ${hash}`;
    const known = kept.get(key) ?? usesOf(file, bytes.toString('utf8'));
    kept.set(key, known);
    uses.set(file, known);
  }
  // Other clones use the same cache; what is of no file any more goes when it gets large.
  keep(kept.size < MOST_KEPT ? kept : new Map([...kept].filter(([key]) => key === `${key.split(' ')[0]} ${contents.get(key.split(' ')[0] ?? '')}`)));
  return { contents, edges: edgesOf(uses) };
}

/** All that a file reaches, itself among it, with its distance in steps. */
export function reachOf(graph: Graph, file: string): Map<string, number> {
  const reached = new Map([[file, 0]]);
  const queue = [file];
  for (let at = 0; at < queue.length; at += 1) {
    const one = queue[at] ?? '';
    const distance = (reached.get(one) ?? 0) + 1;
    for (const next of graph.edges.get(one) ?? []) {
      if (reached.has(next)) continue;
      reached.set(next, distance);
      queue.push(next);
    }
  }
  for (const one of EVERYWHERE) if (!reached.has(one)) reached.set(one, FAR);
  return reached;
}

/** What every test stands on is the last place to look for a fault. */
const FAR = 1_000;

/** Changes with every byte that the file reaches. */
export function contentKey(graph: Graph, file: string): string {
  const hash = createHash('sha256').update(`${process.version} ${process.arch}\n`);
  for (const one of [...reachOf(graph, file).keys()].toSorted()) hash.update(`${one} ${graph.contents.get(one) ?? 'none'}\n`);
  return hash.digest('hex');
}

function edgesOf(uses: ReadonlyMap<string, Uses>): Map<string, string[]> {
  const below = Map.groupBy(
    [...uses.keys()].flatMap((file) => foldersOf(file).map((folder) => ({ folder, file }))),
    ({ folder }) => folder,
  );
  const find = (path: string): string | undefined => [path, `${path}.ts`, `${path}.tsx`, `${path}/index.ts`].find((one) => uses.has(one));
  // What is imported and is gone is reached all the same: its test fails.
  const imported = (path: string): string[] => [find(path) ?? path];
  const named = (path: string): string[] => {
    const file = find(path);
    return file === undefined ? (below.get(path) ?? []).map((one) => one.file).filter((one) => !isTest(one)) : [file];
  };
  const of = (file: string, { imports, names }: Uses): string[] =>
    [...new Set([...imports.flatMap(imported), ...names.flatMap(named)])].filter((one) => one !== file);
  return new Map([...uses].map(([file, one]) => [file, of(file, one)]));
}

export const isTest = (file: string): boolean => /\.test\.tsx?$/.test(file);

/** 'a/b/c.ts' is below 'a/b' and 'a'. */
const foldersOf = (file: string): string[] =>
  file
    .split('/')
    .slice(0, -1)
    .map((_, index, parts) => parts.slice(0, index + 1).join('/'));

function listed(): string[] {
  const text = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], { cwd: repository, encoding: 'utf8', maxBuffer: 1 << 26 });
  const gone = new Set(execFileSync('git', ['ls-files', '--deleted', '-z'], { cwd: repository, encoding: 'utf8', maxBuffer: 1 << 26 }).split('\0'));
  return [...new Set(text.split('\0'))].filter((file) => file !== '' && !gone.has(file));
}

const Kept = z.array(z.tuple([z.string(), z.object({ imports: z.array(z.string()), names: z.array(z.string()) })]));
const keptFile = (): string =>
  join(
    cacheFolder(process.env),
    'test',
    `uses-${createHash('sha256')
      .update(readFileSync(join(import.meta.dirname, 'uses.ts')))
      .digest('hex')
      .slice(0, 12)}.json`,
  );

const MOST_KEPT = 30_000;

/** Reading all imports takes some ten seconds of a processor. */
function readKept(): Map<string, Uses> {
  try {
    return new Map(Kept.parse(JSON.parse(readFileSync(keptFile(), 'utf8'))));
  } catch {
    return new Map();
  }
}

function keep(uses: ReadonlyMap<string, Uses>): void {
  const draft = `${keptFile()}.${process.pid}`;
  mkdirSync(join(cacheFolder(process.env), 'test'), { recursive: true });
  writeFileSync(draft, JSON.stringify([...uses]));
  renameSync(draft, keptFile());
}
