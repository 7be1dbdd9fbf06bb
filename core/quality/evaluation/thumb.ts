// What a person says of a run of theirs: up or down, with a comment.
import type { Knex } from 'knex';
import type { Ctx } from '../../kernel/ctx.ts';
import { act, done } from '../../kernel/act.ts';
import { NotFound } from '../../kernel/errors.ts';
import { requireUser } from '../../kernel/policy.ts';
import { storableText } from '../../kernel/storable.ts';

interface RatedRun {
  agent_id: string;
  deploy_id: string | null;
}

/** @throws NotFound run_not_found, also for runs of other users */
export async function putThumb(ctx: Ctx, i: { run_id: string; up: boolean; comment: string }): Promise<void> {
  await act(ctx, 'run.rate', requireUser, async (ctx, { user_id }) => {
    const run = await ratedRun(ctx.db, user_id, i.run_id);
    const set = { up: i.up, comment: storableText(i.comment), at: new Date(ctx.clock()) };
    await ctx.db('run_thumbs').insert({ run_id: i.run_id, user_id, ...run, ...set }).onConflict('run_id').merge(set); // prettier-ignore
    await scoreThumb(ctx.db, i.run_id, run, i.up, set.at);
    return done({ run: i.run_id }, { up: i.up });
  });
}

/** @throws NotFound run_not_found */
export async function deleteThumb(ctx: Ctx, i: { run_id: string }): Promise<void> {
  await act(ctx, 'run.rate', requireUser, async (ctx, { user_id }) => {
    const run = await ratedRun(ctx.db, user_id, i.run_id);
    await ctx.db('run_thumbs').where({ run_id: i.run_id, user_id }).delete();
    const rules = await thumbRules(ctx.db, run.agent_id);
    await ctx.db('run_scores').where({ agent_id: run.agent_id, run_id: i.run_id }).whereIn('rule', rules).delete(); // prettier-ignore
    return done({ run: i.run_id }, { up: null });
  });
}

/** By its row, or by the receipt of a call that left no row. */
async function ratedRun(tx: Knex.Transaction, userId: string, runId: string): Promise<RatedRun> {
  const run =
    (await tx('runs').where({ run_id: runId, user_id: userId }).first('agent_id', 'deploy_id')) ??
    (await tx('receipts').where({ run_id: runId, source: 'platform', caller_user_id: userId }).first('agent_id', 'deploy_id'));
  if (!run) throw new NotFound('run_not_found', `You have no run ${runId}`);
  return run;
}

async function scoreThumb(tx: Knex.Transaction, run_id: string, { agent_id, deploy_id }: RatedRun, up: boolean, at: Date): Promise<void> {
  if (deploy_id === null) return;
  for (const rule of await thumbRules(tx, agent_id)) {
    const set = { passed: up, score: up ? 1 : 0, reason: up ? null : 'Its caller gave a thumb down', scored_at: at };
    await tx('run_scores').insert({ agent_id, rule, run_id, deploy_id, ...set }).onConflict(['agent_id', 'rule', 'run_id']).merge(set); // prettier-ignore
  }
}

const thumbRules = async (tx: Knex.Transaction, agentId: string): Promise<string[]> =>
  (await tx('evaluation_rules').where({ agent_id: agentId, kind: 'thumb', enabled: true }).select('rule')).map(({ rule }) => rule);
