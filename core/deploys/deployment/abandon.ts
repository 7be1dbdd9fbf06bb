import type { EndLost } from '../../jobs/long-work.ts';
import { endDeployment } from './stages.ts';

export const abandonDeployment: EndLost = async (ctx, job_id, fault) => {
  const row = await ctx.db('deployments').where({ job_id }).first('deploy_id');
  if (row) await endDeployment(ctx, row.deploy_id, 'failed', fault);
};
