// The live version once more, built and started on what the host has now.
import type { Knex } from 'knex';
import type { z } from 'zod';
import type { AgentRuntimeUpgradeIn, AgentRuntimeUpgradeOut } from '#contract/deploys/upgrades.ts';
import type { DeploymentsRow } from '#db/tables.ts';
import { RuntimeError, type RuntimeVersion } from '#drivers/runtime/port.ts';
import { act, recorded, unchanged } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { BadGateway, Conflict } from '../../kernel/errors.ts';
import { requireUser } from '../../kernel/policy.ts';
import { agentFor, agentNamed } from '../../agents/agent/find.ts';
import { queueAgain } from '../deployment/again.ts';
import { requireByRules, requireReleasable } from '../../agents/agent/may-deploy.ts';
import { countDeployment } from '../deployment/count.ts';

type Out = z.infer<typeof AgentRuntimeUpgradeOut>;

/**
 * @throws NotFound agent_not_found; Conflict agent_not_live, deployment_under_way, promotion_frozen;
 * BadGateway runtime_unreachable
 */
export async function upgradeRuntime(ctx: Ctx, i: { name: string } & z.infer<typeof AgentRuntimeUpgradeIn>): Promise<Out> {
  const user = requireUser(ctx, 'agent.upgrade');
  // Before the host is asked, which is done outside the transaction.
  await agentFor(ctx.db, user, 'agent.upgrade', i.name);
  if (!i.check) await requireByRules(ctx, { accountId: user.user_id, name: i.name, actions: ['deploy'] });
  const newest = await newestRuntime(ctx);
  return act(ctx, 'agent.upgrade', agentNamed(i.name), async (ctx, { agent_id }) => {
    const live = await ctx.db('deployments').where({ agent_id, state: 'live' }).first();
    if (!live) throw new Conflict('agent_not_live', `${i.name} has no live version to upgrade: deploy it first`);
    const on: Out['live'] = { runtime: await runtimeOf(ctx.db, live.deploy_id), sdk: live.sdk };
    const isCurrent = on.runtime === newest.runtime && on.sdk === newest.sdk;
    const upgrades = !i.check && (!isCurrent || i.force);
    if (upgrades) {
      await requireReleasable(ctx.db, { agent_id, name: i.name, promotes: true });
      const agent = await countDeployment(ctx.db, agent_id, i.name);
      await queueAgain(ctx, user, {
        agent,
        of: live,
        built: false,
        title: 'Upgrade the runtime of',
        input: { upgrade_of: live.deploy_id, runtime: newest.runtime, sdk: newest.sdk },
        action: 'agent.upgrade',
        upgrade: 'runtime',
      });
    }
    const last = await ctx.db('deployments').where({ agent_id, upgrade_kind: 'runtime' }).orderBy('number', 'desc').first();
    const answer: Out = {
      name: i.name,
      state: stateOf(live, last, isCurrent),
      live: on,
      newest,
      from_deploy_id: last?.upgrade_of ?? live.deploy_id,
      deploy_id: last?.deploy_id ?? null,
      job_id: last?.job_id ?? null,
      differences: differencesIn(last?.differences),
    };
    return upgrades ? recorded(answer) : unchanged(answer);
  });
}

function stateOf(live: DeploymentsRow, last: DeploymentsRow | undefined, isCurrent: boolean): Out['state'] {
  switch (last?.state) {
    case 'queued':
    case 'building':
      return 'building';
    case 'starting':
    case 'verifying':
      return 'verifying';
    case 'live':
      return isCurrent ? 'live' : 'available';
    default:
  }
  if (isCurrent) return 'current';
  // The live version: the upgrade failed, or was rolled back.
  return last && (last.upgrade_of === live.deploy_id || (last.state === 'superseded' && last.source_sha256 === live.source_sha256))
    ? 'rolled_back'
    : 'available';
}

async function newestRuntime(ctx: Ctx): Promise<RuntimeVersion> {
  try {
    return await ctx.drivers.runtime.current();
  } catch (error) {
    if (!(error instanceof RuntimeError)) throw error;
    throw new BadGateway('runtime_unreachable', 'The host that runs agents does not answer: try again in a moment');
  }
}

async function runtimeOf(tx: Knex.Transaction, deployId: string): Promise<string | null> {
  return (await tx('instances').where({ deploy_id: deployId, state: 'serving' }).orderBy('created_at', 'desc').first('runtime'))?.runtime ?? null;
}

// Safe: only requireSameCard writes them.
function differencesIn(value: unknown): string[] {
  return (value ?? []) as string[];
}
