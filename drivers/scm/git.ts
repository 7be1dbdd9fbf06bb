// Bare repositories on disk through git itself. A commit is one fast-import: objects, tree, commit and a compare-and-swap of the
// branch in one process, which commits nothing when it or we are killed half-way.
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { commitStream } from './fast-import.ts';
import { git, GitFailed, gitStream } from './git-process.ts';
import { branchRef, commitId, repositorySegments, ScmError } from './names.ts';
import type { SourceControl } from './port.ts';

const commitAttempts = 12;
/** git holds a lock file for milliseconds; one this old belongs to a git that was killed. */
const staleLockMs = 10_000;
/** What is committed comes back byte for byte, whatever a .gitattributes among it says. */
const attributes = '* -text -eol -filter -ident -working-tree-encoding -export-ignore -export-subst\n';

export function gitSourceControl({ root }: { root: string }): SourceControl {
  const incoming = join(resolve(root), '.incoming');
  const gitDirOf = (repository: string): string => `${join(resolve(root), ...repositorySegments(repository))}.git`;
  // Commits of this process to one repository queue here; between processes git's compare-and-swap orders them.
  const queues = new Map<string, Promise<unknown>>();

  async function ensureRepository(gitDir: string): Promise<void> {
    if (await exists(join(gitDir, 'HEAD'))) return;
    const made = join(incoming, randomUUID());
    await mkdir(join(made, 'info'), { recursive: true, mode: 0o700 });
    await git(made, ['init', '--quiet', '--bare', '--template=', '--initial-branch=main']);
    await writeFile(join(made, 'info', 'attributes'), attributes);
    await mkdir(dirname(gitDir), { recursive: true, mode: 0o700 });
    // The first rename wins; a rename onto a folder that is not empty fails.
    await rename(made, gitDir).catch(async (error: unknown) => {
      await rm(made, { recursive: true, force: true });
      if (!(await exists(join(gitDir, 'HEAD')))) throw error;
    });
  }

  async function commitOnce(gitDir: string, ref: string, input: Parameters<SourceControl['commitTree']>[0]): Promise<string> {
    const parent = (await git(gitDir, ['for-each-ref', '--format=%(objectname)', ref])).trim() || undefined;
    const plan = { folder: input.folder, ref, parent, message: input.message, author: input.author };
    return commitId((await git(gitDir, ['fast-import', '--quiet', '--done', '--date-format=now', '--depth=0'], commitStream(plan))).trim());
  }

  async function commit(input: Parameters<SourceControl['commitTree']>[0]): Promise<{ commit: string }> {
    const gitDir = gitDirOf(input.repository);
    const ref = branchRef(input.branch);
    await ensureRepository(gitDir);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return { commit: await commitOnce(gitDir, ref, input) };
      } catch (error) {
        if (!(error instanceof GitFailed) || attempt === commitAttempts || !isContention(error.stderr)) throw error;
        await breakStaleLock(gitDir, error.stderr);
        await delay(Math.random() * 20 * attempt);
      }
    }
  }

  return {
    commitTree: async (input) => {
      const gitDir = gitDirOf(input.repository);
      const turn = (queues.get(gitDir) ?? Promise.resolve()).then(() => commit(input));
      const settled = turn.catch(() => undefined);
      queues.set(gitDir, settled);
      void settled.then(() => queues.get(gitDir) === settled && queues.delete(gitDir));
      return turn;
    },
    archive: async ({ repository, commit: id }) => {
      const gitDir = gitDirOf(repository);
      const wanted = commitId(id);
      const found = (await exists(join(gitDir, 'HEAD'))) && (await git(gitDir, ['cat-file', '-t', wanted]).catch(() => '')).trim() === 'commit';
      if (!found) throw new ScmError('scm_commit_missing', `no commit ${wanted} in ${repository}`);
      return gitStream(gitDir, ['archive', '--format=tar.gz', '-6', wanted]);
    },
    bundle: async (repository) => {
      const gitDir = gitDirOf(repository);
      const refs = (await exists(join(gitDir, 'HEAD'))) ? await git(gitDir, ['for-each-ref', '--count=1']) : '';
      return refs.trim() === '' ? Readable.from([]) : gitStream(gitDir, ['bundle', 'create', '--quiet', '-', '--branches', '--tags', 'HEAD']);
    },
    ping: async () => {
      await mkdir(incoming, { recursive: true, mode: 0o700 });
      const made = await mkdtemp(join(incoming, 'ping-'));
      try {
        await git(made, ['init', '--quiet', '--bare', '--template=', '--initial-branch=main']);
      } finally {
        await rm(made, { recursive: true, force: true });
      }
    },
    remove: async (repository) => {
      const trash = join(incoming, randomUUID());
      await mkdir(incoming, { recursive: true, mode: 0o700 });
      try {
        await rename(gitDirOf(repository), trash);
      } catch (error) {
        if (isMissing(error)) return;
        throw error;
      }
      await rm(trash, { recursive: true, force: true });
    },
  };
}

/** Another process moved the branch, or holds (or held) its lock. */
function isContention(stderr: string): boolean {
  return /does not contain|cannot lock ref|Unable to create '.*\.lock'|is at [0-9a-f]+ but expected|reference already exists/.test(stderr);
}

async function breakStaleLock(gitDir: string, stderr: string): Promise<void> {
  const lock = /Unable to create '(.+\.lock)': File exists/.exec(stderr)?.[1];
  if (!lock?.startsWith(`${gitDir}/`)) return;
  const age = await stat(lock).then(
    (s) => Date.now() - s.mtimeMs,
    () => 0,
  );
  if (age > staleLockMs) await rm(lock, { force: true });
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: unknown) => {
      if (isMissing(error)) return false;
      throw error;
    },
  );
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
