// Saving files as one commit of the default branch. It never overwrites a newer change: each change names the
// blob that it was made from.
import { withoutEnd } from '#contract/wire/trim.ts';
import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { MAX_EDITED_BYTES, type SourceCommitIn, type SourceCommitOut } from '#contract/deploys/source-editor.ts';
import { DEFAULT_BRANCH } from '#contract/deploys/source.ts';
import type { FileChange, TreeEntry } from '#drivers/scm/port.ts';
import { system } from '../../kernel/act.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict, Invalid, PayloadTooLarge } from '../../kernel/errors.ts';
import { checkTree } from '../../agents/source/check-tree.ts';
import { sourceRepository } from '../../agents/agent/repository.ts';
import { entriesOf } from './files.ts';
import { ownerOf, sourceFor } from './find.ts';
import { fromHosting } from './hosting.ts';

/** Commits that others may make while this one is saved. */
const ATTEMPTS = 5;

type CommitRequest = z.output<typeof SourceCommitIn>;
type Saved = z.infer<typeof SourceCommitOut>;

/**
 * @throws Conflict source_changed with the paths; BadRequest source_… where the project could not be deployed
 * any more
 */
export async function saveSource(ctx: Ctx, i: { name: string } & CommitRequest): Promise<Saved> {
  const agent = await sourceFor(ctx.db, ctx.actor, 'source.save', i.name);
  const repository = sourceRepository(agent.owner_id, agent.name);
  const { email } = await ownerOf(ctx.db, agent.owner_id);
  const author = { name: email.split('@')[0] ?? 'owner', email };
  const wanted = i.changes.map((change) => bytesOf(change));
  for (let attempt = 1; ; attempt += 1) {
    const parent = (await fromHosting(ctx.drivers.scm.head({ repository, branch: DEFAULT_BRANCH }))) ?? null;
    const changes = await onTopOf(ctx, repository, parent, i.changes, wanted);
    try {
      const commit = { repository, branch: DEFAULT_BRANCH, parent, changes, message: `${i.message}\n`, author };
      const saved = await fromHosting(ctx.drivers.scm.commitFiles(commit));
      // The commit is made: its row does not depend on what became of the agent meanwhile.
      await system(ctx, async (ctx) =>
        audit(ctx, 'source.save', { agent: agent.agent_id }, { name: agent.name, commit: saved.commit, paths: changes.slice(0, 20).map(({ path }) => path) }),
      );
      return { commit: saved.commit, parent, files: changes.map(({ path, content }) => ({ path, blob: content && blobId(content) })) };
    } catch (error) {
      // The branch moved between reading and saving: the files are compared again.
      if (!(error instanceof Conflict) || attempt === ATTEMPTS) throw error;
    }
  }
}

/** The changes, if they fit this commit. */
async function onTopOf(ctx: Ctx, repository: string, parent: string | null, asked: CommitRequest['changes'], wanted: (Buffer | null)[]): Promise<FileChange[]> {
  const tree = new Map((parent === null ? [] : await fromHosting(entriesOf(ctx, repository, parent))).map((entry) => [entry.path, entry]));
  const stale = asked.filter(({ path, blob }) => (tree.get(path)?.blob ?? null) !== blob).map(({ path }) => path);
  if (stale.length > 0) {
    const message = `${stale.slice(0, 5).join(', ')}: changed since it was read. Read it again, then repeat the change`;
    throw new Conflict('source_changed', message, { head: parent, paths: stale });
  }
  const changes = asked.map(({ path, executable }, n) => ({
    path,
    content: wanted[n] ?? null,
    executable: executable ?? tree.get(path)?.executable ?? false,
  }));
  await checkTree(changed(tree, changes));
  return changes;
}

function changed(before: ReadonlyMap<string, TreeEntry>, changes: readonly FileChange[]): TreeEntry[] {
  const after = new Map(before);
  for (const { path, content, executable = false } of changes)
    if (content === null) after.delete(path);
    else after.set(path, { path, kind: 'file', blob: '', size: content.length, executable });
  return [...after.values()];
}

function bytesOf({ path, content, encoding }: CommitRequest['changes'][number]): Buffer | null {
  if (content === null) return null;
  const bytes = Buffer.from(content, encoding === 'base64' ? 'base64' : 'utf8');
  if (encoding === 'base64' && withoutEnd(bytes.toString('base64'), '=') !== withoutEnd(content, '='))
    throw new Invalid([{ path: ['body', 'changes'], message: `${path}: the content is not base64` }]);
  if (bytes.length > MAX_EDITED_BYTES)
    throw new PayloadTooLarge('source_file_too_large', `${path} has ${bytes.length} bytes; the editor takes ${MAX_EDITED_BYTES}: change it with git`);
  return bytes;
}

/** As git counts it. */
function blobId(content: Buffer): string {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}
