// Whose memories a caller may touch: their own at an agent; a run, those of whom it works for, at its own
// agent. What is shared is of the agent: of its owner, and of all its runs, whomever they work for.
import { type Action, may, requireUser, rowsThatMay } from '../../kernel/policy.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { agentFor, noSuchAgent } from '../agent/find.ts';
import { agentColumns } from '../agent/select.ts';

export interface MemoryOwner {
  agent_id: string;
  user_id: string;
  shared: boolean;
}

export interface MemoryOf {
  name: string;
  /** default: of the caller */
  shared?: boolean | undefined;
}

/**
 * `own`, `ofAll`: what is done, to what is the caller's and to what is shared. @throws NotFound for what the
 * caller may not see; Conflict run_without_user
 */
export function memoryOwner(ctx: Ctx, own: Action, ofAll: Action, of: MemoryOf): Promise<MemoryOwner> {
  return memoryNamed(of)(ctx, of.shared === true ? ofAll : own);
}

/** The subject of an action (core/kernel/act.ts): as memoryOwner; what is shared has actions of its own. */
export function memoryNamed({ name, shared = false }: MemoryOf) {
  return (ctx: Ctx, action: Action): Promise<MemoryOwner> => (shared ? sharedOwner(ctx, action, name) : ownOwner(ctx, action, name));
}

async function sharedOwner(ctx: Ctx, action: Action, agentName: string): Promise<MemoryOwner> {
  if (ctx.actor.kind === 'run') {
    const { agent_id, agent_name, owner_id } = ctx.actor;
    if (agent_name !== agentName || !may(ctx.actor, action, { owner: owner_id, agent: agent_id })) throw noSuchAgent(agentName);
    return { agent_id, user_id: owner_id, shared: true };
  }
  requireUser(ctx, action);
  const { agent_id, owner_id } = await agentFor(ctx.db, ctx.actor, action, agentName);
  return { agent_id, user_id: owner_id, shared: true };
}

async function ownOwner(ctx: Ctx, action: Action, agentName: string): Promise<MemoryOwner> {
  if (ctx.actor.kind === 'run') {
    const { agent_id, agent_name, user_id } = ctx.actor;
    if (agent_name !== agentName) throw noSuchAgent(agentName);
    if (user_id === null)
      throw new Conflict('run_without_user', 'This run acts for no user of the platform, and memory belongs to a user: call the agent signed in');
    if (!may(ctx.actor, action, { owner: user_id, agent: agent_id })) throw noSuchAgent(agentName);
    return { agent_id, user_id, shared: false };
  }
  const { user_id } = requireUser(ctx, action);
  // Users may read and delete what an agent remembers about them, also when the agent is no longer listed.
  const seen = rowsThatMay(ctx.actor, 'agent.read', agentColumns);
  const { rows } = await ctx.db.raw<{ rows: { agent_id: string }[] }>(
    `select agent_id from agents a
     where name = :agentName and deleted_at is null and (
       ${seen.sql} or exists (select 1 from agent_memories m where m.agent_id = a.agent_id and m.user_id = :user_id))`,
    { agentName, user_id, ...seen.bindings },
  );
  const [agent] = rows;
  if (!agent) throw noSuchAgent(agentName);
  return { agent_id: agent.agent_id, user_id, shared: false };
}
