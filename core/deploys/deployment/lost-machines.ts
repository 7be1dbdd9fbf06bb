// Machines that rows name and their host does not have: it was replaced, or the platform was restored without
// the machines' disks. What ran in them is lost; what was live there is built again from its source.
import type { Knex } from 'knex';
import { system } from '../../kernel/act.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { queueAgain } from './again.ts';
import { countDeployment } from './count.ts';
import { OPEN_DEPLOYMENT_STATES } from '#contract/states.ts';

interface Instance {
  instance_id: string;
  deploy_id: string;
  agent_id: string;
}

/** What was missing at the round before: a machine counts as lost when two rounds in a row do not see it. */
const missingBefore = new WeakMap<Knex, ReadonlySet<string>>();

/**
 * Resolves with the ids of the lost instances. Rejects while the host does not answer: then nothing is known
 * of its machines.
 */
export async function noteLostMachines(ctx: Ctx, node: string): Promise<string[]> {
  // The rows first: a machine that starts meanwhile is in no row that was read.
  const rows = await ctx.db('instances').where({ node }).whereIn('state', ['serving', 'draining']).select('instance_id', 'deploy_id', 'agent_id');
  const running = new Set((await ctx.drivers.runtime.instances()).map(({ instance_id }) => instance_id));
  const missing = rows.filter(({ instance_id }) => !running.has(instance_id));
  const lost = missing.filter(({ instance_id }) => missingBefore.get(ctx.db)?.has(instance_id));
  missingBefore.set(ctx.db, new Set(missing.map(({ instance_id }) => instance_id)));
  for (const instance of lost) await replace(ctx, instance);
  return lost.map(({ instance_id }) => instance_id);
}

async function replace(ctx: Ctx, { instance_id, deploy_id, agent_id }: Instance): Promise<void> {
  await system(ctx, async (ctx) => {
    const agent = await ctx.db('agents').where({ agent_id }).forUpdate().first('agent_id', 'name', 'owner_id', 'live_deploy_id', 'deleted_at');
    const stopped = await ctx
      .db('instances')
      .where({ instance_id })
      .whereIn('state', ['serving', 'draining'])
      .update({ state: 'stopped', stopped_at: ctx.db.raw('now()') });
    if (stopped === 0) return;
    await audit(ctx, 'agent.machine_lost', { agent: agent_id }, { deploy_id, instance_id });
    if (!agent || agent.deleted_at !== null || agent.live_deploy_id !== deploy_id) return;
    const open = await ctx.db('deployments').where({ agent_id }).whereIn('state', OPEN_DEPLOYMENT_STATES).first('deploy_id');
    const live = await ctx.db('deployments').where({ deploy_id, state: 'live' }).first();
    if (open || !live) return;
    await queueAgain(
      ctx,
      { user_id: agent.owner_id },
      {
        agent: await countDeployment(ctx.db, agent_id, agent.name),
        of: live,
        // Its image went with the machine.
        built: false,
        title: 'Restore',
        input: { source_of: deploy_id },
        action: 'agent.restart',
      },
    );
  });
}
