// A service of the platform asks who is behind an agent-origin session cookie.
import type { z } from 'zod';
import type { AgentSessionVerifyOut } from '#contract/platform/platform.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { readView } from './agents-view.ts';
import { findAgentSession, findAgentSessionById, type FoundAgentSession } from './find.ts';

/** `active: false` for every token that does not hold; the answer does not say why. Takes the browser's cookie, or what its agent got of it. */
export async function verifyAgentSession(ctx: Ctx, { agent: name, token }: { agent: string; token: string }): Promise<z.infer<typeof AgentSessionVerifyOut>> {
  const agent = await ctx.db('agents').where({ name }).whereNull('deleted_at').first('agent_id');
  const found = agent && (await sessionOf(ctx, agent.agent_id, token));
  if (!found) return { active: false, user: null, expires_at: null };
  return { active: true, user: found.user, expires_at: found.expiresAt.toISOString() };
}

async function sessionOf({ db, drivers, clock }: Ctx, agentId: string, token: string): Promise<FoundAgentSession | undefined> {
  const viewed = await readView(drivers.vault, token);
  if (viewed === undefined) return findAgentSession(db, { agentId, token }, clock());
  const found = await findAgentSessionById(db, viewed, clock());
  return found?.agentId === agentId ? found : undefined;
}
