// The stage of a rehearsal: an account of its own with the agent's double in it. Whatever a scenario mints,
// runs, revokes or deletes is of this account.
import { createHmac } from 'node:crypto';
import type { AgentCard } from '#contract/wire/card.ts';
import type { Ctx, RunActor, UserActor } from '../../../kernel/ctx.ts';
import { newId } from '../../../kernel/ids.ts';

/** The issuer of disposable accounts, which have no sign-in. */
export const STAGE_ISSUER = 'urn:svc:rehearsal';

export interface StagedAgent {
  agentId: string;
  name: string;
  deployId: string;
}

export interface Stage {
  jobId: string;
  /** Who rehearses. */
  ownerId: string;
  userId: string;
  agent: StagedAgent;
  /** As the double itself showed it. */
  card: AgentCard;
  instanceId: string;
}

export function stageActor(userId: string): UserActor {
  return { kind: 'user', user_id: userId, email: '', operator: false, via: 'bearer' };
}

/** A run of a staged agent, for the account of the stage. `chain`: the calls that led to it. */
export function stageRun(ctx: Ctx, userId: string, { agentId, name, deployId }: StagedAgent, chain: readonly string[]): RunActor {
  return {
    kind: 'run',
    run_id: newId('run', ctx.clock()),
    agent_id: agentId,
    agent_name: name,
    deploy_id: deployId,
    owner_id: userId,
    skill: 'rehearse',
    user_id: userId,
    caller: { kind: 'user', id: userId },
    chain,
    parent_run_id: null,
    thread_id: null,
    job_id: null,
    started_at: ctx.clock(),
  };
}

/** A planted secret: made again when it is looked for, and stored nowhere. */
export async function canaryOf(ctx: Pick<Ctx, 'drivers'>, jobId: string, name: string): Promise<string> {
  const key = await ctx.drivers.vault.derive('rehearsal-canaries');
  return `canary-${createHmac('sha256', key).update(`${jobId}/${name}`).digest('base64url').slice(0, 24)}`;
}
