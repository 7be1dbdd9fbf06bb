// A service of the platform asks who is behind an agent-origin session cookie.
import type { z } from 'zod';
import type { AgentSessionVerifyOut } from '#contract/platform/platform.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { readView } from './agents-view.ts';
import { findAgentSession, findAgentSessionById, type VisitorSession } from './find.ts';

/**
 * `active: false` for every token that does not hold; the answer does not say why. Takes the browser's
 * cookie, or what its agent got of it.
 */
export async function verifyAgentSession(ctx: Ctx, { agent: name, token }: { agent: string; token: string }): Promise<z.infer<typeof AgentSessionVerifyOut>> {
  const agent = await ctx.db('agents').where({ name }).whereNull('deleted_at').first('agent_id');
  const session = agent && (await sessionOf(ctx, agent.agent_id, token));
  if (!session) return { active: false, user: null, expires_at: null };
  return { active: true, user: session.user, expires_at: session.expiresAt.toISOString() };
}

async function sessionOf({ db, drivers, clock }: Ctx, agentId: string, token: string): Promise<VisitorSession | undefined> {
  const viewed = await readView(drivers.vault, token);
  if (viewed === undefined) return findAgentSession(db, { agentId, token }, clock());
  const session = await findAgentSessionById(db, viewed, clock());
  return session?.agentId === agentId ? session : undefined;
}
