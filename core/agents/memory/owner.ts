// Whose memories a caller may touch: their own at an agent; a run, those of whom it works for, at its own agent.
import { requireUser } from '../../kernel/actors.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict, NotFound } from '../../kernel/errors.ts';

export interface MemoryOwner {
  agent_id: string;
  user_id: string;
}

/** @throws NotFound for what the caller may not see; Conflict run_without_user */
export async function memoryOwner(ctx: Ctx, agentName: string): Promise<MemoryOwner> {
  if (ctx.actor.kind === 'run') {
    const { agent_id, agent_name, user_id } = ctx.actor;
    if (agent_name !== agentName) throw noSuchAgent(agentName);
    if (user_id === null)
      throw new Conflict('run_without_user', 'This run acts for no user of the platform, and memory belongs to a user: call the agent signed in');
    return { agent_id, user_id };
  }
  const { user_id } = requireUser(ctx);
  // What an agent remembers of somebody stays theirs to read and delete, also when the agent is no longer listed.
  const { rows } = await ctx.db.raw<{ rows: { agent_id: string }[] }>(
    `select agent_id from agents a
     where name = :agentName and deleted_at is null and (
       owner_id = :user_id or (visibility = 'public' and live_deploy_id is not null)
       or exists (select 1 from agent_memories m where m.agent_id = a.agent_id and m.user_id = :user_id))`,
    { agentName, user_id },
  );
  const [agent] = rows;
  if (!agent) throw noSuchAgent(agentName);
  return { agent_id: agent.agent_id, user_id };
}

function noSuchAgent(name: string): NotFound {
  return new NotFound('agent_not_found', `There is no agent ${name} that you can see`);
}
