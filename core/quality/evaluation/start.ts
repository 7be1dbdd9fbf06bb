// An evaluation: every example of a dataset as a durable run of the live version. Its state is only in rows,
// so it continues after any crash.
import type { EvaluationOut } from '#contract/quality/evaluations.ts';
import { agentNamed } from '../../agents/agent/find.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { datasetOf } from './dataset.ts';
import { presentEvaluations } from './read.ts';

/** @throws NotFound dataset_not_found; Conflict agent_not_live, evaluation_running */
export async function startEvaluation(ctx: Ctx, i: { name: string; dataset: string }): Promise<EvaluationOut> {
  const evaluation_id = newId('evl', ctx.clock());
  await act(ctx, 'evaluation.start', agentNamed(i.name), async (ctx, { agent_id, owner_id, live_deploy_id }) => {
    await ctx.db('agents').where({ agent_id }).forUpdate().first('agent_id');
    const { dataset_id } = await datasetOf(ctx.db, agent_id, i);
    const deployment = live_deploy_id === null ? undefined : await ctx.db('deployments').where({ deploy_id: live_deploy_id }).first('deploy_id', 'version');
    if (!deployment) throw new Conflict('agent_not_live', `${i.name} has no live deployment: deploy it first`);
    const running = await ctx.db('evaluations').where({ agent_id, state: 'running' }).first('evaluation_id');
    if (running) throw new Conflict('evaluation_running', `${running.evaluation_id} of ${i.name} is under way: wait for its end, or cancel it`);
    const { deploy_id, version } = deployment;
    await ctx.db('evaluations').insert({ evaluation_id, agent_id, dataset: i.dataset, deploy_id, version, created_by: owner_id, state: 'running', created_at: new Date(ctx.clock()) }); // prettier-ignore
    await ctx.db.raw(
      `insert into evaluation_results (evaluation_id, item_id, skill, args, has_expected, expected, state)
       select :evaluation_id, item_id, skill, args, has_expected, expected, 'queued' from dataset_items where dataset_id = :dataset_id`,
      { evaluation_id, dataset_id },
    );
    return done({ evaluation: evaluation_id }, { dataset: i.dataset, deploy_id });
  });
  const [shown] = await presentEvaluations(ctx.db, await ctx.db('evaluations').where({ evaluation_id }));
  if (!shown) throw new Error('an evaluation was not written');
  return shown;
}
