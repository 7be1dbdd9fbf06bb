// Which files differ between two commits; compared by their hashes, without reading them.
export interface FileAt {
  path: string;
  blob: string;
  size: number;
}

export interface FileChange {
  path: string;
  kind: 'added' | 'removed' | 'changed' | 'renamed';
  /** renamed: where it was. */
  from?: string;
}

export function fileChanges(before: readonly FileAt[], after: readonly FileAt[]): FileChange[] {
  const [was, is] = [byPath(before), byPath(after)];
  const gone = before.filter(({ path }) => !is.has(path));
  const left = new Map(gone.map((file) => [file.blob, file]));
  const changes: FileChange[] = [];
  for (const { path, blob } of after) {
    const old = was.get(path);
    if (old?.blob === blob) continue;
    const moved = old === undefined ? left.get(blob) : undefined;
    if (moved) {
      left.delete(blob);
      changes.push({ path, kind: 'renamed', from: moved.path });
    } else changes.push({ path, kind: old ? 'changed' : 'added' });
  }
  const renamed = new Set(changes.map(({ from }) => from));
  for (const { path } of gone) if (!renamed.has(path)) changes.push({ path, kind: 'removed' });
  return changes.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

const byPath = (files: readonly FileAt[]): Map<string, FileAt> => new Map(files.map((file) => [file.path, file]));
