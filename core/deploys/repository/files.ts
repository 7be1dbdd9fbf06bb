// Reading a repository as an editor does.
import { isUtf8 } from 'node:buffer';
import type { z } from 'zod';
import { MAX_EDITED_BYTES, type SourceFileOut, type SourceFilesOut } from '#contract/deploys/source-editor.ts';
import { DEFAULT_BRANCH } from '#contract/deploys/source.ts';
import type { TreeEntry } from '#drivers/scm/port.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound, PayloadTooLarge } from '../../kernel/errors.ts';
import { defaultSourceLimits } from '../../agents/source/limits.ts';
import { sourceRepository } from '../../agents/agent/repository.ts';
import { sourceFor } from './find.ts';
import { fromHosting } from './hosting.ts';

export async function listSourceFiles(ctx: Ctx, i: { name: string; commit?: string | undefined }): Promise<z.infer<typeof SourceFilesOut>> {
  const { owner_id, name } = await sourceFor(ctx.db, ctx.actor, 'source.read', i.name);
  const repository = sourceRepository(owner_id, name);
  const commit = i.commit ?? (await fromHosting(ctx.drivers.scm.head({ repository, branch: DEFAULT_BRANCH })));
  if (commit === undefined) return { commit: null, files: [] };
  const entries = await fromHosting(entriesOf(ctx, repository, commit));
  return { commit, files: entries.map(({ path, blob, size, executable }) => ({ path, blob, size, executable })) };
}

export async function readSourceFile(ctx: Ctx, i: { name: string; path: string; commit?: string | undefined }): Promise<z.infer<typeof SourceFileOut>> {
  const { owner_id, name } = await sourceFor(ctx.db, ctx.actor, 'source.read', i.name);
  const repository = sourceRepository(owner_id, name);
  const commit = i.commit ?? (await fromHosting(ctx.drivers.scm.head({ repository, branch: DEFAULT_BRANCH })));
  const request = { repository, path: i.path, maxBytes: MAX_EDITED_BYTES };
  const file = commit === undefined ? undefined : await fromHosting(ctx.drivers.scm.read({ ...request, commit }));
  if (commit === undefined || file?.kind !== 'file') throw new NotFound('source_file_not_found', `There is no file ${i.path} in this commit: list its files`);
  const { path, blob, size, executable, content } = file;
  if (!content) throw new PayloadTooLarge('source_file_too_large', `${path} has ${size} bytes; the editor takes ${MAX_EDITED_BYTES}: change it with git`);
  const text = isUtf8(content);
  return { commit, path, blob, size, executable, encoding: text ? 'utf-8' : 'base64', content: content.toString(text ? 'utf8' : 'base64') };
}

/** Files of a commit, as many as a project may have. */
export async function entriesOf({ drivers }: Pick<Ctx, 'drivers'>, repository: string, commit: string): Promise<TreeEntry[]> {
  const entries: TreeEntry[] = [];
  for await (const entry of drivers.scm.files({ repository, commit })) {
    if (entry.kind === 'file') entries.push(entry);
    if (entries.length === defaultSourceLimits.entries) break;
  }
  return entries;
}
