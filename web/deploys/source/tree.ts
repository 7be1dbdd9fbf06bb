// Paths as a tree: folders first, each by name.
export interface Folder {
  name: string;
  path: string;
  folders: Folder[];
  files: { name: string; path: string }[];
}

export function treeOf(paths: readonly string[]): Folder {
  const root: Folder = { name: '', path: '', folders: [], files: [] };
  const known = new Map<string, Folder>();
  for (const path of paths.toSorted()) {
    const slash = path.lastIndexOf('/');
    folderAt(root, known, slash < 0 ? '' : path.slice(0, slash)).files.push({ name: path.slice(slash + 1), path });
  }
  return root;
}

/** Makes those above it, one after the other: a path may be deep. */
function folderAt(root: Folder, known: Map<string, Folder>, path: string): Folder {
  const parts = path === '' ? [] : path.split('/');
  let at = root;
  let here = '';
  for (const name of parts) {
    here = here === '' ? name : `${here}/${name}`;
    let next = known.get(here);
    if (!next) {
      next = { name, path: here, folders: [], files: [] };
      known.set(here, next);
      at.folders.push(next);
    }
    at = next;
  }
  return at;
}

export type Row = { kind: 'folder'; depth: number; name: string; path: string; open: boolean } | { kind: 'file'; depth: number; name: string; path: string };

/** What is seen, from the top down. */
export function rowsOf(folder: Folder, isOpen: (path: string) => boolean, depth = 0): Row[] {
  const folders = folder.folders.flatMap((one): Row[] => {
    const open = isOpen(one.path);
    return [{ kind: 'folder', depth, name: one.name, path: one.path, open }, ...(open ? rowsOf(one, isOpen, depth + 1) : [])];
  });
  return [...folders, ...folder.files.map((file): Row => ({ kind: 'file', depth, ...file }))];
}
