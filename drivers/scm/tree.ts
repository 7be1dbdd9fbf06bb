// What a commit holds, read by git itself, entry by entry: a tree can be far larger than what describes it,
// so that its reader decides when it is enough.
import { buffer } from 'node:stream/consumers';
import { git, GitFailed, gitStream } from './git-process.ts';
import { ScmError } from './names.ts';
import type { TreeEntry } from './port.ts';

const kinds: Record<string, TreeEntry['kind'] | undefined> = { '100644': 'file', '100755': 'file', '120000': 'link', '160000': 'submodule' };

/**
 * `revision`: a commit, or a tag of one. `env`: where objects are that are not the repository's yet. @throws
 * ScmError scm_commit_missing
 */
export async function* treeEntries(gitDir: string, revision: string, env: Record<string, string> = {}): AsyncGenerator<TreeEntry> {
  try {
    for await (const line of zeroEnded(gitStream(gitDir, ['ls-tree', '-r', '-z', '-l', '--full-tree', revision], env))) yield parsed(line);
  } catch (error) {
    throw error instanceof GitFailed && /[Nn]ot a (?:valid object|tree object)|Not a valid object name/.test(error.stderr)
      ? new ScmError('scm_commit_missing', `${revision} names no commit here`)
      : error;
  }
}

/** The entry at exactly this path. */
export async function entryAt(gitDir: string, commit: string, path: string): Promise<TreeEntry | undefined> {
  // Git takes no other for a path inside of a tree, and says so by failing.
  if (path.includes('\0') || path.split('/').some((segment) => ['', '.', '..'].includes(segment))) return undefined;
  const text = await git(gitDir, ['--literal-pathspecs', 'ls-tree', '-z', '-l', '--full-tree', commit, '--', path]);
  const [line] = text.split('\0');
  if (!line || / tree /.test(line.slice(0, 12))) return undefined;
  const entry = parsed(line);
  return entry.path === path ? entry : undefined;
}

export async function blobContent(gitDir: string, blob: string): Promise<Buffer> {
  return buffer(gitStream(gitDir, ['cat-file', 'blob', blob]));
}

/** `<mode> <type> <object> <size>\t<path>` */
function parsed(line: string): TreeEntry {
  const tab = line.indexOf('\t');
  const [mode = '', , blob = '', size = ''] = line.slice(0, tab).split(/ +/);
  // Old tools wrote other permission bits.
  const kind = kinds[mode] ?? (mode.startsWith('100') ? 'file' : 'link');
  return { path: line.slice(tab + 1), kind, blob, size: Number(size) || 0, executable: mode === '100755' };
}

async function* zeroEnded(stream: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of stream) {
    let from = 0;
    const all = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    for (let end = all.indexOf(0); end !== -1; end = all.indexOf(0, from)) {
      yield all.subarray(from, end).toString('utf8');
      from = end + 1;
    }
    rest = all.subarray(from);
  }
}
