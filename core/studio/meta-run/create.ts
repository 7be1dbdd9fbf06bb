import { MAX_META_RUNS } from '#contract/wire/limits.ts';
import type { z } from 'zod';
import type { MetaRunIn, MetaRunOut } from '#contract/studio/meta-agent-runs.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { isTerminal } from '../../jobs/model.ts';
import { ensureRun } from '../../kernel/ensure-run.ts';
import { storableJson, storableText } from '../../kernel/storable.ts';
import { act, done } from '../../kernel/act.ts';
import { keeperAt, ownedMetaRun, presentMetaRun } from './find.ts';

/** @throws NotFound agent_not_found; Conflict too_many_meta_runs; Forbidden run_ended */
export async function createMetaRun(ctx: Ctx, i: { name: string } & z.output<typeof MetaRunIn>): Promise<z.infer<typeof MetaRunOut>> {
  const meta_run_id = newId('mrn', ctx.clock());
  return act(ctx, 'meta_run.create', keeperAt(i.name), async (ctx, keeper) => {
    if (keeper.runId !== null) await ensureRun(ctx);
    const { rows } = await ctx.db.raw<{ rows: { n: number }[] }>('select count(*)::int as n from meta_runs where agent_id = ? and user_id = ?', [
      keeper.agentId,
      keeper.userId,
    ]);
    if ((rows[0]?.n ?? 0) >= MAX_META_RUNS)
      throw new Conflict('too_many_meta_runs', `There are ${MAX_META_RUNS} goals with this agent, the most that are kept`);
    await ctx.db('meta_runs').insert({
      meta_run_id,
      agent_id: keeper.agentId,
      user_id: keeper.userId,
      goal: storableText(i.goal),
      criteria: storableJson(i.criteria),
      plan: storableJson(i.plan),
      progress: storableJson(i.progress),
      status: i.status,
      run_id: keeper.runId,
      ended_at: isTerminal(i.status) ? new Date(ctx.clock()).toISOString() : null,
    });
    const row = await ownedMetaRun(ctx.db, keeper, meta_run_id);
    return done({ meta_run: meta_run_id }, { agent: i.name, status: i.status }, presentMetaRun(i.name, row));
  });
}
