// What was checked and reviewed is deployed, unlisted, only for its owner; as any deployment, by its own
// workflow.
import type { StudioRunsRow } from '#db/tables.ts';
import { acceptGenerated } from '../../deploys/deployment/accept-generated.ts';
import { OPEN_DEPLOYMENT_STATES } from '#contract/states.ts';
import { ownerOf } from '../../deploys/repository/find.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { storedFault } from '../../kernel/errors.ts';
import type { StudioStep } from './advance.ts';
import { mendOrEnd } from './mend.ts';
import { briefIn, builtIn, newestIteration } from './row.ts';
import { filesOf } from './source.ts';
import { move, say } from './step.ts';

export const deploy: StudioStep = async (ctx, run) => {
  if (run.deploy_id === null) {
    await begin(ctx, run);
    return 'waits';
  }
  const deployment = await ctx.db('deployments').where({ deploy_id: run.deploy_id }).first('state', 'error', 'number');
  if (deployment && OPEN_DEPLOYMENT_STATES.includes(deployment.state)) return 'waits';
  if (deployment?.state !== 'live' && deployment?.state !== 'superseded') {
    const fault = storedFault(deployment?.error);
    return mendOrEnd(ctx, run, {
      code: fault?.code ?? 'studio_not_deployed',
      message: `It could not be deployed: ${fault?.message ?? 'the deployment is gone'}`,
    });
  }
  await move(ctx.db, run, 'evaluating', { actor: 'deployer', status: 'done', message: `Deployment ${deployment.number} is live, unlisted` });
  return 'again';
};

/** The id is written in the deployment's own transaction: what comes twice deploys once. */
async function begin(ctx: Ctx, run: StudioRunsRow): Promise<void> {
  const iteration = await newestIteration(ctx.db, run.run_id);
  const built = builtIn(run);
  if (built?.iteration !== iteration.number) throw new Error('a run is deployed before its newest source was checked');
  const owner = await ownerOf(ctx.db, run.owner_id);
  const { name, goal } = briefIn(run);
  await acceptGenerated(
    { ...ctx, actor: owner },
    {
      files: await filesOf(ctx, run, iteration),
      message: `Make ${name}: ${goal.slice(0, 60)}`,
      built: { image: built.image, image_bytes: built.size_bytes, sdk: built.sdk, runs_on: built.runs_on ?? null, card: built.card ?? undefined },
      beside: async (tx, deployId) => {
        const taken = await tx('studio_runs').where({ run_id: run.run_id, state: 'deploying', deploy_id: null }).whereNull('ended_at').update({ deploy_id: deployId }); // prettier-ignore
        if (taken === 0) throw new Error('another step has deployed it already');
        await say(tx, run, 'deploying', { actor: 'deployer', status: 'began', message: 'Its machine is started', deploy_id: deployId });
      },
    },
  );
}
