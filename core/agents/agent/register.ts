import type { z } from 'zod';
import type { AgentDetailOut, AgentRegisterIn } from '#contract/agents/agents.ts';
import { requireUser } from '../../kernel/policy.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { claimName } from './claim-name.ts';
import { agentFor } from './find.ts';
import { presentAgentDetail } from './present.ts';
import { searchText } from '../search/search-text.ts';
import { indexVocabulary } from '../search/vocabulary.ts';

export async function registerAgent(ctx: Ctx, i: z.infer<typeof AgentRegisterIn>): Promise<z.infer<typeof AgentDetailOut>> {
  if (i.visibility === 'public') throw new Conflict('not_live', 'An agent is published once it is live: register it unlisted, deploy, then publish');
  return act(ctx, 'agent.register', requireUser, async (ctx, user) => {
    const agentId = await claimName(ctx, user, i.name, {
      description: i.description,
      tags: i.tags,
      reuse_policy: i.reuse_policy,
      search_text: searchText({ ...i, skills: [] }),
    });
    if (!agentId) throw new Conflict('agent_exists', `You already have an agent ${i.name}`);
    await indexVocabulary(ctx.db, { ...i, skills: [] });
    const agent = await agentFor(ctx.db, user, 'agent.register', i.name);
    return done({ agent: agentId }, { name: i.name }, presentAgentDetail(ctx.config, user.user_id, agent, []));
  });
}
