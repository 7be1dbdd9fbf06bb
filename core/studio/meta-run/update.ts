import type { z } from 'zod';
import type { MetaRunOut, MetaRunPatchIn } from '#contract/studio/meta-agent-runs.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { isTerminal } from '../../jobs/model.ts';
import { ensureRun } from '../../kernel/ensure-run.ts';
import { storableJson, storableText } from '../../kernel/storable.ts';
import { act, done } from '../../kernel/act.ts';
import { keeperAt, ownedMetaRun, presentMetaRun } from './find.ts';

/** @throws Conflict version_conflict (the present version in its details), meta_run_ended */
export async function updateMetaRun(ctx: Ctx, i: { name: string; run_id: string } & z.output<typeof MetaRunPatchIn>): Promise<z.infer<typeof MetaRunOut>> {
  return act(ctx, 'meta_run.update', keeperAt(i.name), async (ctx, keeper) => {
    if (keeper.runId !== null) await ensureRun(ctx);
    const now = new Date(ctx.clock()).toISOString();
    const [row] = await ctx
      .db('meta_runs')
      .where({ meta_run_id: i.run_id, agent_id: keeper.agentId, user_id: keeper.userId, version: i.version })
      .whereNull('ended_at')
      .update({
        ...(i.goal === undefined ? {} : { goal: storableText(i.goal) }),
        ...(i.criteria === undefined ? {} : { criteria: storableJson(i.criteria) }),
        ...(i.plan === undefined ? {} : { plan: storableJson(i.plan) }),
        ...(i.progress === undefined ? {} : { progress: storableJson(i.progress) }),
        ...(i.status === undefined ? {} : { status: i.status, ended_at: isTerminal(i.status) ? now : null }),
        version: ctx.db.raw('version + 1'),
        run_id: keeper.runId,
        updated_at: now,
      })
      .returning('*');
    if (row) return done({ meta_run: i.run_id }, { version: row.version, status: row.status }, presentMetaRun(i.name, row));
    const { version, status, ended_at } = await ownedMetaRun(ctx.db, keeper, i.run_id);
    if (ended_at !== null) throw new Conflict('meta_run_ended', `It has ended (${status}): start another one for the rest`, { status, version });
    throw new Conflict('version_conflict', `It is at version ${version} now: read it again, then repeat the change`, { version });
  });
}
