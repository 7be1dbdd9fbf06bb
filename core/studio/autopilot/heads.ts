// The newest commits of agents' sources, a few at a time. Those whose hosting does not answer are left out.
import { DEFAULT_BRANCH } from '#contract/deploys/source.ts';
import type { AgentsRow } from '#db/tables.ts';
import { sourceRepository } from '../../agents/agent/repository.ts';
import type { Ctx } from '../../kernel/ctx.ts';

const AT_ONCE = 8;

/** Null: it has no source here. @throws what source hosting fails with */
export async function headOf(ctx: Ctx, ownerId: string, agent: { name: string; kind: AgentsRow['kind'] }): Promise<string | null> {
  if (agent.kind !== 'hosted') return null;
  return (await ctx.drivers.scm.head({ repository: sourceRepository(ownerId, agent.name), branch: DEFAULT_BRANCH })) ?? null;
}

/** By id of the agent. */
export async function headsOf(
  ctx: Ctx,
  ownerId: string,
  agents: readonly { agent_id: string; name: string; kind: AgentsRow['kind'] }[],
): Promise<Map<string, string | null>> {
  const heads = new Map<string, string | null>();
  const left = [...agents];
  const next = async (): Promise<void> => {
    for (let agent = left.pop(); agent; agent = left.pop()) {
      try {
        heads.set(agent.agent_id, await headOf(ctx, ownerId, agent));
      } catch {
        // Nothing is known of it: another look may find it.
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  return heads;
}
