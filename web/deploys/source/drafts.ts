// Uncommitted changes of the editor. They survive a reload: the browser keeps them for this tab.

export interface Draft {
  path: string;
  /** The file as it was read; null: there is none in the repository. */
  blob: string | null;
  /** null: the file goes. */
  content: string | null;
  encoding: 'utf-8' | 'base64';
}

/** By path. */
export type Drafts = Readonly<Record<string, Draft>>;

const MAX_STORED_LENGTH = 4_000_000;

export interface Change {
  path: string;
  blob: string | null;
  content: string | null;
  encoding: 'utf-8' | 'base64';
}

/** What a commit says. A file that was made and deleted again is no change. */
export function changesOf(drafts: Drafts): Change[] {
  return Object.values(drafts)
    .filter(({ blob, content }) => blob !== null || content !== null)
    .map(({ path, blob, content, encoding }) => ({ path, blob, content, encoding }));
}

/** @param read the file as it is in the repository; null: there is none */
export function edited(drafts: Drafts, path: string, content: string, read: { blob: string; content: string } | null): Drafts {
  const draft = drafts[path];
  if (draft === undefined && read?.content === content) return drafts;
  // Written back to what it was.
  if (read !== null && draft?.blob === read.blob && content === read.content) return without(drafts, path);
  return { ...drafts, [path]: { path, blob: draft ? draft.blob : (read?.blob ?? null), content, encoding: 'utf-8' } };
}

export function deleted(drafts: Drafts, path: string, blob: string | null): Drafts {
  const was = drafts[path]?.blob ?? blob;
  return was === null ? without(drafts, path) : { ...drafts, [path]: { path, blob: was, content: null, encoding: 'utf-8' } };
}

/**
 * Its content under another path. @param there the blob that has the new path already, as one that is to go;
 * null: none
 */
export function renamed(drafts: Drafts, from: Omit<Draft, 'path'> & { path: string }, to: string, there: string | null): Drafts {
  const moved: Draft = { path: to, blob: there, content: from.content, encoding: from.encoding };
  return { ...deleted(drafts, from.path, from.blob), [to]: moved };
}

export function without(drafts: Drafts, path: string): Drafts {
  return Object.fromEntries(Object.entries(drafts).filter(([one]) => one !== path));
}

/** The commit is made: what was written since stays, on top of it. */
export function committed(drafts: Drafts, sent: readonly Change[], saved: readonly { path: string; blob: string | null }[]): Drafts {
  const blobs = new Map(saved.map(({ path, blob }) => [path, blob]));
  let left = drafts;
  for (const { path, content } of sent) {
    const now = left[path];
    if (!now) continue;
    left = now.content === content ? without(left, path) : { ...left, [path]: { ...now, blob: blobs.get(path) ?? null } };
  }
  return left;
}

/** A file has a newer commit: the user's text is applied on top of it. */
export function onTopOf(drafts: Drafts, path: string, theirs: string | null): Drafts {
  const mine = drafts[path];
  return mine ? { ...drafts, [path]: { ...mine, blob: theirs } } : drafts;
}

const PROBLEM = /(?:^|\/)(?:\.{1,2}|\.git)(?:\/|$)|^\/|\/$|\/\/|\\|[\u0000-\u001f]/i;

/** Why no file can have this path; undefined: it can. */
export function pathProblem(path: string, taken: (path: string) => boolean): string | undefined {
  if (path === '') return 'Give a path, such as lib/words.ts.';
  if (path.length > 1024) return 'The path is too long.';
  if (PROBLEM.test(path)) return 'Use a path inside the project, with / between folders.';
  if (taken(path)) return 'A file with this name exists.';
  return undefined;
}

export function store(drafts: Drafts): string | undefined {
  const text = JSON.stringify(drafts);
  return Object.keys(drafts).length === 0 || text.length > MAX_STORED_LENGTH ? undefined : text;
}

/** Whatever is stored: what is no draft is left out. */
export function restore(text: string | null): Drafts {
  let value: unknown;
  try {
    value = JSON.parse(text ?? '{}');
  } catch {
    return {};
  }
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(Object.entries(value).flatMap(([path, draft]) => (isDraft(draft) && draft.path === path ? [[path, draft]] : [])));
}

function isDraft(value: unknown): value is Draft {
  if (typeof value !== 'object' || value === null) return false;
  const { path, blob, content, encoding } = value as Partial<Record<keyof Draft, unknown>>;
  const textOrNull = (one: unknown): boolean => one === null || typeof one === 'string';
  return typeof path === 'string' && textOrNull(blob) && textOrNull(content) && (encoding === 'utf-8' || encoding === 'base64');
}
