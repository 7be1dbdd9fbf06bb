// The agent's origin exchanges the code for a token that names the user, valid only for this agent.
import { z } from 'zod';
import { BOX_SUFFIX } from '#contract/wire/names.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { system } from '../../kernel/act.ts';
import { audit } from '../../kernel/audit.ts';
import { Forbidden, Gone } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { redeemCode } from '../code/one-time.ts';
import { ssoEnd } from '../session/create.ts';
import { hashSecret } from '../../kernel/secret.ts';
import { proofColumns, SsoProof } from '../../kernel/sso.ts';
import { newPlatformToken } from '../secret.ts';
import { fromColumns } from '../session/create.ts';
import { agentUrl } from '../../agents/agent/url.ts';

const AGENT_SESSION_SECONDS = 12 * 3600;

export interface ExchangeAgentSession {
  agent: string;
  code: string;
  /** The Origin header: a browser may do this from the agent's own pages only. */
  origin: string | undefined;
}

/** `sso`: how the person signed in where they were handed over from; `opened_by`: that sign-in. */
const Payload = z.object({ next: z.string(), sso: SsoProof.optional(), opened_by: z.string().optional() });

export interface AgentSession {
  agent: string;
  access_token: string;
  token_type: 'Bearer';
  expires_at: string;
  next: string;
}

export async function exchangeAgentSession(ctx: Ctx, { agent: name, code, origin }: ExchangeAgentSession): Promise<AgentSession> {
  if (origin !== undefined && origin !== agentUrl(ctx.config, name)) throw new Forbidden('wrong_origin', "only the agent's own origin may redeem this code");
  // The code is the right to it.
  return system(ctx, async (ctx) => {
    const now = ctx.clock();
    const agent = await ctx
      .db('agents')
      .where({ name: name.endsWith(BOX_SUFFIX) ? name.slice(0, -BOX_SUFFIX.length) : name })
      .whereNull('deleted_at')
      .first('agent_id');
    // An unknown agent answers as an unknown code does: this route must not tell which agents exist.
    const redeemed = await redeemCode(ctx.db, { kind: 'agent_session', code, audience: agent?.agent_id ?? '', by: `agent:${name}` }, now);
    if (redeemed.state === 'unknown') throw new Forbidden('code_unknown', 'This code was not issued for this agent');
    if (redeemed.state !== 'redeemed') throw new Gone('code_gone', 'This code was used or has expired: send the user through authorize again');
    const token = newPlatformToken();
    const tokenId = newId('tok', now);
    const { user_id: userId, audience } = redeemed.row;
    const { next, sso, opened_by } = Payload.parse(redeemed.row.payload);
    const expiresAt = new Date(Math.min(now + AGENT_SESSION_SECONDS * 1000, sso === undefined ? Infinity : await ssoEnd(ctx.db, sso, now)));
    await ctx.db('platform_tokens').insert({
      token_id: tokenId,
      token_hash: hashSecret(token),
      kind: 'agent_session',
      user_id: userId,
      agent_id: audience,
      label: 'browser hand-over',
      created_at: new Date(now),
      expires_at: expiresAt,
      opened_by: opened_by ?? null,
      ...proofColumns(sso),
      ...fromColumns(ctx),
    });
    await audit(ctx, 'agent_session.exchange', { agent_session: tokenId }, { agent_id: audience, user_id: userId });
    return { agent: name, access_token: token, token_type: 'Bearer', expires_at: expiresAt.toISOString(), next };
  });
}
