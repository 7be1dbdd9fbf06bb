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

/** The entries are asked for at once: after the event there are none. */
export async function droppedIn({ items, files }: DataTransfer): Promise<Chosen[]> {
  const entries = Array.from(items, (item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  if (entries.length === 0) return chosenIn(files);
  return (await Promise.all(entries.map((entry) => filesOf(entry)))).flat();
}

async function filesOf(entry: FileSystemEntry): Promise<Chosen[]> {
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
    return [{ relative: entry.fullPath.replace(/^\//, ''), file }];
  }
  if (!isFolder(entry)) return [];
  const found: FileSystemEntry[] = [];
  const reader = entry.createReader();
  // A hundred at a time, until there are no more.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) break;
    found.push(...some);
  }
  return (await Promise.all(found.map((one) => filesOf(one)))).flat();
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;
