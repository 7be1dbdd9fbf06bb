// Deploying source that is here already: the newest, or that of an earlier deployment, which is how an agent
// is rolled back.
import type { Knex } from 'knex';
import type { z } from 'zod';
import type { AgentFromTarballOut } from '#contract/agents/agents.ts';
import type { DeploymentsRow } from '#db/tables.ts';
import { act, recorded } from '../../kernel/act.ts';
import { requireUser } from '../../kernel/policy.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { agentNamed } from '../../agents/agent/find.ts';
import { requireByRules, requireReleasable } from '../../agents/agent/may-deploy.ts';
import { agentUrl } from '../../agents/agent/url.ts';
import { queueAgain } from './again.ts';
import { countDeployment } from './count.ts';
import { deploymentFor } from './find.ts';
import { keepSuperseded } from './retention.ts';

/**
 * @throws NotFound agent_not_found, deployment_not_found; Conflict never_deployed, deployment_under_way,
 * agent_imported
 */
export async function redeploySource(ctx: Ctx, i: { name: string; deploy_id?: string | undefined }): Promise<z.infer<typeof AgentFromTarballOut>> {
  const user = requireUser(ctx, 'agent.redeploy');
  await requireByRules(ctx, { accountId: user.user_id, name: i.name, actions: ['deploy'] });
  return act(ctx, 'agent.redeploy', agentNamed(i.name), async (ctx, { agent_id }) => {
    await requireReleasable(ctx.db, { agent_id, name: i.name, source: true });
    const agent = await countDeployment(ctx.db, agent_id, i.name);
    const of =
      i.deploy_id === undefined
        ? await ctx.db('deployments').where({ agent_id }).orderBy('number', 'desc').first()
        : await deploymentFor(ctx.db, user, 'agent.redeploy', { name: i.name, deploy_id: i.deploy_id });
    if (!of) throw new Conflict('never_deployed', `${i.name} has never been deployed: deploy its source first`);
    const made = await queueAgain(ctx, user, {
      agent,
      of,
      built: await isImageRetained(ctx.db, of),
      title: i.deploy_id === undefined ? 'Deploy' : 'Roll back',
      input: { source_of: of.deploy_id },
      action: 'agent.redeploy',
    });
    const { name, number } = agent;
    return recorded({ name, ...made, number, state: 'queued', url: agentUrl(ctx.config, name), source_sha256: of.source_sha256 });
  });
}

/**
 * Hosts keep the image of what is live and of the newest that were; any other is built again from its source.
 */
export async function isImageRetained(tx: Knex.Transaction, { agent_id, image, state }: DeploymentsRow): Promise<boolean> {
  if (image === null) return false;
  if (state === 'live') return true;
  if (state !== 'superseded') return false;
  const live = await tx('deployments').where({ agent_id, state: 'live', image }).first('deploy_id');
  if (live) return true;
  const newest = await tx('deployments as d')
    .where({ 'd.agent_id': agent_id, 'd.state': 'superseded' })
    .whereNotNull('d.image')
    // As the reaper counts: a restart is no version of its own.
    .whereNotExists(tx('deployments as l').whereRaw(`l.agent_id = d.agent_id and l.state = 'live' and l.image = d.image`).select(tx.raw('1')))
    .groupBy('d.image')
    .orderByRaw('max(d.number) desc')
    .limit(keepSuperseded)
    .pluck('d.image');
  return newest.includes(image);
}
