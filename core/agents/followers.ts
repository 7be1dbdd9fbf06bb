// What other areas do when something happens to an agent.
import type { TxCtx, UserActor } from '../kernel/ctx.ts';

interface DeletedAgent {
  agent_id: string;
  name: string;
  owner_id: string;
}

export interface Restarted {
  deploy_id: string;
  job_id: string;
}

interface AgentFollower {
  readonly name: string;
  /** In the transaction that deletes it. */
  deleted?(ctx: TxCtx, agent: DeletedAgent): Promise<void>;
  /** In the transaction that stores one of its secrets. */
  secretSet?(ctx: TxCtx, agentId: string): Promise<void>;
  /**
   * Starts the live deployment again, in a transaction that holds the agent's row. Undefined: nothing is
   * live, so there is nothing to restart.
   * @throws Conflict deployment_under_way
   */
  restart?(ctx: TxCtx, user: Pick<UserActor, 'user_id'>, agentId: string): Promise<Restarted | undefined>;
}

declare module '../kernel/followers.ts' {
  interface Followers {
    agents: readonly AgentFollower[];
  }
}

/** @throws Conflict deployment_under_way */
export async function restartAgent(ctx: TxCtx, user: Pick<UserActor, 'user_id'>, agentId: string): Promise<Restarted | undefined> {
  for (const { restart } of ctx.followers.agents) {
    const restarted = await restart?.(ctx, user, agentId);
    if (restarted) return restarted;
  }
  return undefined;
}
