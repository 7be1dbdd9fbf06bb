// The source of an iteration: a commit that one can read, on a branch of its own, until the run deploys it.
import type { Insert } from '#db/table-types.ts';
import type { StudioRunsRow } from '#db/tables.ts';
import { ownerOf } from '../../deploys/repository/find.ts';
import { sourceRepository } from '../../agents/agent/repository.ts';
import { commitFiles, filesOfCommit } from '../../agents/source/commit-files.ts';
import type { ProjectFile } from '../../agents/source/pack.ts';
import { fromSource } from '../../deploys/deployment/accept-generated.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { storableText } from '../../kernel/storable.ts';
import { branchOf, briefIn } from './row.ts';

const MAX_MESSAGE = 200;

/** Committed and kept as iteration `number`; what comes twice is kept once. */
export async function keepIteration(
  ctx: Ctx,
  run: StudioRunsRow,
  i: { number: number; files: readonly ProjectFile[]; written_by: Insert<'studio_iterations'>['written_by']; message: string },
): Promise<void> {
  const owner = await ownerOf(ctx.db, run.owner_id);
  const repository = sourceRepository(run.owner_id, briefIn(run).name);
  const message = `${firstLine(i.message)}\n`;
  const commit = await fromSource(commitFiles(ctx, owner, { repository, branch: branchOf(run.run_id), files: i.files, message }));
  const row = { run_id: run.run_id, number: i.number, commit, written_by: i.written_by, created_at: new Date(ctx.clock()) };
  await ctx.db('studio_iterations').insert(row).onConflict(['run_id', 'number']).ignore();
}

export function filesOf(ctx: Ctx, run: StudioRunsRow, { commit }: { commit: string }): Promise<ProjectFile[]> {
  return fromSource(filesOfCommit(ctx, sourceRepository(run.owner_id, briefIn(run).name), commit));
}

const firstLine = (text: string): string => storableText(text.split('\n')[0]?.trim().slice(0, MAX_MESSAGE) || 'Write the source');
