// Which workflow code is current. Temporal decides; the row is what it is told when it has lost its record.
import type { Knex } from 'knex';
import type { WorkflowVersions } from '#drivers/workflows/versions.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';

/** The part of a context that this needs: `up` has no other. */
export type BuildCtx = Pick<Ctx, 'actor' | 'clock' | 'db' | 'requestId'>;

/** The version that was made current last; undefined: none was. */
export async function wantedBuild(db: Knex): Promise<string | undefined> {
  return (await db('workflow_code').first('build_id'))?.build_id;
}

/**
 * Resolves with what was current before, or with false when Temporal has not heard of a worker with this
 * code.
 */
export async function makeBuildCurrent(ctx: BuildCtx, versions: WorkflowVersions, buildId: string): Promise<{ before: string | undefined } | false> {
  const before = await versions.current();
  if (before !== buildId && !(await versions.makeCurrent(buildId))) return false;
  // An operator was asked before, or it is the start of the installation.
  await ctx.db.transaction(async (tx) => {
    const known = await tx('workflow_code').forUpdate().first('build_id');
    const row = { build_id: buildId, set_at: new Date(ctx.clock()) };
    if (known?.build_id !== buildId) await tx('workflow_code').insert(row).onConflict('only_one').merge();
    if (before !== buildId) await audit({ ...ctx, db: tx }, 'worker_build.set_current', { worker_build: buildId }, { from: before ?? null, to: buildId });
  });
  return { before };
}
