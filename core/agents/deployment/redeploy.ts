// Deploying source that is here already: the newest, or that of an earlier deployment, which is how an agent is rolled back.
import type { Knex } from 'knex';
import type { z } from 'zod';
import type { AgentFromTarballOut } from '#contract/agents/agents.ts';
import type { DeploymentsRow } from '#db/tables.ts';
import { requireUser } from '../../kernel/policy.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { inTx } from '../../kernel/tx.ts';
import { agentFor } from '../agent/find.ts';
import { agentUrl } from '../agent/url.ts';
import { refuseImported } from '../import/find.ts';
import { queueAgain } from './again.ts';
import { deploymentFor } from './find.ts';
import { keepSuperseded } from './kept.ts';
import { openDeployments } from './model.ts';

/** @throws NotFound agent_not_found, deployment_not_found; Conflict never_deployed, deployment_under_way, agent_imported */
export async function redeploySource(ctx: Ctx, i: { name: string; deploy_id?: string | undefined }): Promise<z.infer<typeof AgentFromTarballOut>> {
  const user = requireUser(ctx, 'agent.redeploy');
  // no audit: queueAgain writes the row.
  return inTx(ctx, async (tx, inner) => {
    const { agent_id } = await agentFor(tx, user, 'agent.redeploy', i.name);
    await refuseImported(tx, { agent_id, name: i.name });
    const [agent] = await tx('agents')
      .where({ agent_id })
      .whereNull('deleted_at')
      .update({ deploy_count: tx.raw('deploy_count + 1'), updated_at: tx.raw('now()') })
      .returning(['name', 'deploy_count']);
    if (!agent) throw new Conflict('agent_deleted', `${i.name} was deleted at this moment: deploy it again to bring it back`);
    const open = await tx('deployments').where({ agent_id }).whereIn('state', openDeployments).first('number');
    if (open) throw new Conflict('deployment_under_way', `Deployment ${open.number} is under way: try again once it has ended`);
    const of =
      i.deploy_id === undefined
        ? await tx('deployments').where({ agent_id }).orderBy('number', 'desc').first()
        : await deploymentFor(tx, user, 'agent.redeploy', { name: i.name, deploy_id: i.deploy_id });
    if (!of) throw new Conflict('never_deployed', `${i.name} has never been deployed: deploy its source first`);
    const made = await queueAgain(inner, user, {
      agent: { id: agent_id, name: agent.name, number: agent.deploy_count },
      of,
      built: await isKept(tx, of),
      title: i.deploy_id === undefined ? 'Deploy' : 'Roll back',
      input: { source_of: of.deploy_id },
      action: 'agent.redeploy',
    });
    return { name: agent.name, ...made, number: agent.deploy_count, state: 'queued', url: agentUrl(ctx.config, agent.name), source_sha256: of.source_sha256 };
  });
}

/** Hosts keep the image of what is live and of the newest that were; any other is built again from its source. */
async function isKept(tx: Knex.Transaction, { agent_id, deploy_id, image, state }: DeploymentsRow): Promise<boolean> {
  if (image === null) return false;
  if (state === 'live') return true;
  if (state !== 'superseded') return false;
  const newest = await tx('deployments')
    .where({ agent_id, state: 'superseded' })
    .whereNotNull('image')
    .orderBy('number', 'desc')
    .limit(keepSuperseded)
    .select('deploy_id');
  return newest.some((row) => row.deploy_id === deploy_id);
}
