import type { z } from 'zod';
import { type AgentApiTokenCreatedOut, type AgentApiTokenCreateIn, MAX_API_TOKENS } from '#contract/agents/agent-api-tokens.ts';
import { agentFor } from '../../agents/agent/find.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { BadRequest } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { requireUser } from '../../kernel/policy.ts';
import { inTx } from '../../kernel/tx.ts';
import { hashSecret, newPlatformToken } from '../secret.ts';
import { openTokens, presentApiToken, shownColumns } from './open.ts';

const DAY_MS = 86_400_000;

/** @throws BadRequest token_limit */
export async function createApiToken(ctx: Ctx, i: { name: string } & z.infer<typeof AgentApiTokenCreateIn>): Promise<z.infer<typeof AgentApiTokenCreatedOut>> {
  const user = requireUser(ctx, 'agent_api_token.create');
  return inTx(ctx, async (tx, inner) => {
    const { agent_id } = await agentFor(tx, user, 'agent_api_token.create', i.name);
    // Locked: tokens that are made at the same time are counted one after the other, and a deletion revokes them all.
    await tx('agents').where({ agent_id }).forUpdate().first('agent_id');
    const now = ctx.clock();
    const [open] = await openTokens(tx, agent_id, now).count<{ count: string }[]>('* as count');
    if (Number(open?.count) >= MAX_API_TOKENS) throw new BadRequest('token_limit', `An agent has at most ${MAX_API_TOKENS} open tokens: revoke some first`);
    const token = newPlatformToken();
    const token_id = newId('tok', now);
    const [row] = await tx('platform_tokens')
      .insert({
        token_id,
        token_hash: hashSecret(token),
        kind: 'agent_api',
        user_id: user.user_id,
        agent_id,
        label: i.label,
        skills: i.scopes === null ? null : [...new Set(i.scopes)],
        created_at: new Date(now),
        expires_at: new Date(now + i.expires_in_days * DAY_MS),
      })
      .returning(shownColumns);
    if (!row) throw new Error('the token was not stored');
    await audit(tx, inner, 'agent_api_token.create', token_id, { agent_id, label: i.label, scopes: i.scopes, expires_in_days: i.expires_in_days });
    return { ...presentApiToken(row), token };
  });
}
