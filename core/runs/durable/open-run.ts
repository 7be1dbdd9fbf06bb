// What driving a run needs to know, read again before each step: the driver before may have died anywhere.

import type { AgentAddress } from '#drivers/agent-http/address.ts';
import type { RunsRow } from '#db/tables.ts';
import { resolveInstance } from '../../agents/route/instance.ts';
import { resolveRoute } from '../../agents/route/resolve.ts';
import type { Ctx, RunActor } from '../../kernel/ctx.ts';
import { isDispatched, OPEN_RUN_STATES } from '../../kernel/run-state.ts';
import { actorOfRun } from '../run/model.ts';
import { runPolicy, type RunPolicy } from './policy.ts';

export interface OpenRun {
  row: RunsRow;
  actor: RunActor;
  /** Its agent was not deleted. */
  agentKept: boolean;
  /** Of the deployment it is at. */
  policy: RunPolicy;
}

/** The instance that has the run, or will get it. */
export interface RunPlace {
  deployId: string;
  address: AgentAddress;
  apiKey: string;
  policy: RunPolicy;
}

/** Undefined once it has ended. */
export async function openRun(ctx: Ctx, runId: string): Promise<OpenRun | undefined> {
  const row = await ctx.db('runs').where({ run_id: runId }).whereIn('state', OPEN_RUN_STATES).first();
  if (!row) return undefined;
  const agent = await ctx.db('agents').where({ agent_id: row.agent_id }).first('owner_id', 'deleted_at');
  const actor = actorOfRun(row, { owner_id: agent?.owner_id ?? '' });
  return { row, actor, agentKept: agent?.deleted_at === null, policy: await policyAt(ctx, row.deploy_id, row.skill) };
}

/** The machine that was asked; before that, the one that would be asked now. Undefined: there is none. */
export async function placeOfRun(ctx: Ctx, { row, policy }: OpenRun): Promise<RunPlace | undefined> {
  const route = isDispatched(row) ? await resolveInstance(ctx, row.deploy_id) : await resolveRoute(ctx, row.agent_name);
  if (!route) return undefined;
  const deployId = 'deployId' in route ? route.deployId : row.deploy_id;
  return {
    deployId,
    address: route.address,
    apiKey: route.apiKey,
    policy: deployId === row.deploy_id ? policy : await policyAt(ctx, deployId, row.skill),
  };
}

async function policyAt(ctx: Ctx, deployId: string, skill: string): Promise<RunPolicy> {
  const deployment = await ctx.db('deployments').where({ deploy_id: deployId }).first('card');
  return runPolicy(deployment?.card, skill);
}
