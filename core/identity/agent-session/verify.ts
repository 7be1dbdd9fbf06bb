// A service of the platform asks who is behind an agent-origin session cookie.
import type { z } from 'zod';
import type { AgentSessionVerifyOut } from '../../../contract/platform/platform.ts';
import type { Ctx } from '../../ctx.ts';
import { findAgentSession } from './find.ts';

/** `active: false` for whatever does not hold; why is not told. */
export async function verifyAgentSession(ctx: Ctx, { agent: name, token }: { agent: string; token: string }): Promise<z.infer<typeof AgentSessionVerifyOut>> {
  const agent = await ctx.db('agents').where({ name }).whereNull('deleted_at').first('agent_id');
  const found = agent && (await findAgentSession(ctx.db, { agentId: agent.agent_id, token }, ctx.clock()));
  if (!found) return { active: false, user: null, expires_at: null };
  return { active: true, user: found.user, expires_at: found.expiresAt.toISOString() };
}
