// Bare repositories on disk through git itself. A commit is one fast-import: objects, tree, commit and a
// compare-and-swap of the branch in one process, which commits nothing when it or we are killed half-way.
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { type CommitPlan, commitStream } from './fast-import.ts';
import { git, GitFailed, gitStream } from './git-process.ts';
import { breakStaleLock, breakStaleLocks, isContention, removeAbandonedPushes } from './locks.ts';
import { branchRef, commitId, repositorySegments, ScmError } from './names.ts';
import type { SourceControl } from './port.ts';
import { serveGit, usualPackBytes } from './smart-http.ts';
import { blobContent, entryAt, treeEntries } from './tree.ts';

const commitAttempts = 12;
/** What is committed comes back byte for byte, whatever a .gitattributes among it says. */
const attributes = '* -text -eol -filter -ident -working-tree-encoding -export-ignore -export-subst\n';
/** A push may take its half an hour. */
const abandonedMs = 2 * 3_600_000;

/** `packBytes`: of a push, at most. */
export function gitSourceControl({ root, packBytes = usualPackBytes }: { root: string; packBytes?: number }): SourceControl {
  const incoming = join(resolve(root), '.incoming');
  const gitDirOf = (repository: string): string => `${join(resolve(root), ...repositorySegments(repository))}.git`;
  const isThere = (gitDir: string): Promise<boolean> => exists(join(gitDir, 'HEAD'));
  // Commits of this process to one repository queue here; between processes git's compare-and-swap orders
  // them.
  const queues = new Map<string, Promise<unknown>>();

  async function ensureRepository(gitDir: string): Promise<void> {
    if (await isThere(gitDir)) return;
    const made = join(incoming, randomUUID());
    await mkdir(join(made, 'info'), { recursive: true, mode: 0o700 });
    await git(made, ['init', '--quiet', '--bare', '--template=', '--initial-branch=main']);
    await writeFile(join(made, 'info', 'attributes'), attributes);
    await mkdir(dirname(gitDir), { recursive: true, mode: 0o700 });
    // The first rename wins; a rename onto a folder that is not empty fails.
    await rename(made, gitDir).catch(async (error: unknown) => {
      await rm(made, { recursive: true, force: true });
      if (!(await isThere(gitDir))) throw error;
    });
  }

  const headOf = async (gitDir: string, ref: string): Promise<string | undefined> =>
    (await git(gitDir, ['for-each-ref', '--format=%(objectname)', ref])).trim() || undefined;

  /** `parent` undefined: whatever the branch has when it is this commit's turn. */
  async function commit(repository: string, plan: Omit<CommitPlan, 'parent'>, parent?: string | null): Promise<{ commit: string }> {
    const gitDir = gitDirOf(repository);
    await ensureRepository(gitDir);
    for (let attempt = 1; ; attempt += 1) {
      const head = await headOf(gitDir, plan.ref);
      if (parent !== undefined && (head ?? null) !== parent)
        throw new ScmError('scm_moved', `${plan.ref} is at ${head ?? 'nothing'}, not ${parent ?? 'nothing'}`);
      try {
        const stream = commitStream({ ...plan, parent: head });
        return { commit: commitId((await git(gitDir, ['fast-import', '--quiet', '--done', '--date-format=now', '--depth=0'], stream)).trim()) };
      } catch (error) {
        if (!(error instanceof GitFailed) || attempt === commitAttempts || !isContention(error.stderr)) throw error;
        await breakStaleLock(gitDir, error.stderr);
        await delay(Math.random() * 20 * attempt);
      }
    }
  }

  async function enqueue<T>(gitDir: string, work: () => Promise<T>): Promise<T> {
    const turn = (queues.get(gitDir) ?? Promise.resolve()).then(work);
    const settled = turn.catch(() => undefined);
    queues.set(gitDir, settled);
    void settled.then(() => queues.get(gitDir) === settled && queues.delete(gitDir));
    return turn;
  }

  /** Packs what has accumulated, when it is much; what nothing names any more goes after two weeks. */
  async function tidy(gitDir: string): Promise<void> {
    const settings = {
      'gc.auto': '2000',
      'gc.autoPackLimit': '50',
      'gc.autoDetach': 'false',
      'gc.pruneExpire': '2.weeks.ago',
      'pack.threads': '1',
      'pack.windowMemory': '64m',
    };
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    // Where it fails, the next push tries again.
    await enqueue(gitDir, async () => git(gitDir, [...args, 'gc', '--auto', '--quiet'])).catch(() => undefined);
  }

  async function requireCommit(repository: string, id: string): Promise<{ gitDir: string; commit: string }> {
    const [gitDir, wanted] = [gitDirOf(repository), commitId(id)];
    const isCommit = (await isThere(gitDir)) && (await git(gitDir, ['cat-file', '-t', wanted]).catch(() => '')).trim() === 'commit';
    if (!isCommit) throw new ScmError('scm_commit_missing', `no commit ${wanted} in ${repository}`);
    return { gitDir, commit: wanted };
  }

  return {
    commitTree: async ({ repository, folder, branch, message, author }) => {
      const plan = { content: { folder }, ref: branchRef(branch), message, author };
      return enqueue(gitDirOf(repository), () => commit(repository, plan));
    },
    commitFiles: async ({ repository, branch, parent, changes, message, author }) => {
      const plan = { content: { changes }, ref: branchRef(branch), message, author };
      return enqueue(gitDirOf(repository), () => commit(repository, plan, parent === null ? null : commitId(parent)));
    },
    ensure: async (repository) => ensureRepository(gitDirOf(repository)),
    head: async ({ repository, branch }) => {
      const [gitDir, ref] = [gitDirOf(repository), branchRef(branch)];
      return (await isThere(gitDir)) ? headOf(gitDir, ref) : undefined;
    },
    async *files(i) {
      const { gitDir, commit: id } = await requireCommit(i.repository, i.commit);
      yield* treeEntries(gitDir, id);
    },
    read: async ({ repository, commit: id, path, maxBytes }) => {
      const { gitDir, commit: found } = await requireCommit(repository, id);
      const entry = await entryAt(gitDir, found, path);
      if (entry?.kind !== 'file' || entry.size > maxBytes) return entry;
      return { ...entry, content: await blobContent(gitDir, entry.blob) };
    },
    archive: async ({ repository, commit: id }) => {
      const { gitDir, commit: found } = await requireCommit(repository, id);
      return gitStream(gitDir, ['archive', '--format=tar.gz', '-6', found]);
    },
    serve: async (request) => {
      const gitDir = gitDirOf(request.repository);
      await ensureRepository(gitDir);
      if (request.push) {
        await breakStaleLocks(gitDir);
        await removeAbandonedPushes(gitDir, abandonedMs);
      }
      const answer = await serveGit(gitDir, request, packBytes);
      if (request.service === 'git-receive-pack') answer.body.once('close', () => void tidy(gitDir));
      return answer;
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
