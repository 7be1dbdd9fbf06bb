import type { Abandon } from '../../jobs/abandon.ts';
import { endDeployment } from './stages.ts';

export const abandonDeployment: Abandon = async (ctx, job, fault) => {
  const row = await ctx.db('deployments').where({ job_id: job.job_id }).first('deploy_id');
  if (row) await endDeployment(ctx, row.deploy_id, 'failed', fault);
};
