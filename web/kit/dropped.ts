// Files that were dropped or chosen, with those of folders, each with its path within.

export interface Chosen {
  /** `pictures/2026/a.png` of the folder "pictures". */
  relative: string;
  file: File;
}

/** Of an input; of one for folders the browser says where each file was. */
export function chosenIn(files: FileList | null): Chosen[] {
  return Array.from(files ?? [], (file) => ({ relative: file.webkitRelativePath || file.name, file }));
}

/** They are asked for at once: after the event there are none. */
export function entriesIn({ items }: DataTransfer): FileSystemEntry[] {
  return Array.from(items, (item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
}

export async function droppedIn(transfer: DataTransfer): Promise<Chosen[]> {
  const entries = entriesIn(transfer);
  if (entries.length === 0) return chosenIn(transfer.files);
  return (await Promise.all(entries.map((entry) => filesOf(entry)))).flat();
}

async function filesOf(entry: FileSystemEntry): Promise<Chosen[]> {
  if (isFile(entry)) return [{ relative: entry.fullPath.replace(/^\//, ''), file: await fileOf(entry) }];
  return (await Promise.all((await childrenOf(entry)).map((one) => filesOf(one)))).flat();
}

/** @throws DOMException: it is gone, or no file */
export function fileOf(entry: FileSystemEntry): Promise<File> {
  return new Promise((resolve, reject) => (isFile(entry) ? entry.file(resolve, reject) : reject(new DOMException('no file', 'TypeMismatchError'))));
}

export async function childrenOf(entry: FileSystemEntry): Promise<FileSystemEntry[]> {
  if (!isFolder(entry)) return [];
  const entries: FileSystemEntry[] = [];
  const reader = entry.createReader();
  // A hundred at a time, until none is left.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return entries;
    entries.push(...some);
  }
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
export const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;
