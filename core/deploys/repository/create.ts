import type { z } from 'zod';
import type { AgentFromSourceIn } from '#contract/agents/agents.ts';
import { type AgentFromSourceOut, DEFAULT_BRANCH } from '#contract/deploys/source.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { requireUser } from '../../kernel/policy.ts';
import { registerAgent } from '../../agents/agent/register.ts';
import { agentUrl } from '../../agents/agent/url.ts';
import { cloneUrl, sourceRepository } from '../../agents/agent/repository.ts';

/** An agent with an empty repository. @throws as registerAgent */
export async function createFromSource(ctx: Ctx, i: z.output<typeof AgentFromSourceIn>): Promise<z.infer<typeof AgentFromSourceOut>> {
  const user = requireUser(ctx, 'agent.register');
  const { name } = await registerAgent(ctx, { ...i, visibility: 'unlisted' });
  const repository = sourceRepository(user.user_id, name);
  // Where source hosting is down, the first clone or push makes it.
  await ctx.drivers.scm.ensure(repository).catch(() => undefined);
  return {
    name,
    url: agentUrl(ctx.config, name),
    repository,
    default_branch: DEFAULT_BRANCH,
    clone_url: cloneUrl(ctx.config, name),
    clone_command: `svc clone ${name}`,
  };
}
