// Codes that work once, and what a browser keeps between two of them.
import { authorizeAgentSession } from '#core/identity/agent-session/authorize.ts';
import { createCliSession } from '#core/identity/cli-session/create.ts';
import { redeemCliSession } from '#core/identity/cli-session/redeem.ts';
import { CLI_CONFIRM_COOKIE } from '#core/identity/cookies.ts';
import { newId } from '#core/kernel/ids.ts';
import { requireUser } from '#core/kernel/policy.ts';
import type { AreaRecords, Owner } from './area.ts';

/** A browser that is signed in. */
async function addSession(ctx: Owner['ctx']): Promise<string> {
  const session_id = newId('ses', ctx.clock());
  const now = new Date(ctx.clock());
  const { user_id } = requireUser(ctx, 'sign_in.list');
  await ctx.db('web_sessions').insert({
    session_id,
    token_hash: session_id,
    user_id,
    created_at: now,
    last_used_at: now,
    expires_at: new Date(ctx.clock() + 86_400_000),
  });
  return session_id;
}

export async function identityRecords({ ctx, agent }: Pick<Owner, 'ctx' | 'agent'>): Promise<AreaRecords> {
  const name = agent.name;
  const { url } = await authorizeAgentSession(ctx, { agent: name, next: '/' });
  return {
    params: { sign_in_id: await addSession(ctx) },
    calls: {
      'auth.redeemCliSession': { query: { code: (await createCliSession(ctx, '/')).code } },
      'auth.confirmCliSession': { headers: { cookie: `${CLI_CONFIRM_COOKIE}=${await confirmation({ ctx })}` } },
      'auth.authorizeAgentSession': { query: { agent: name } },
      'auth.exchangeAgentSession': { body: { agent: name, code: new URL(url).searchParams.get('code') } },
    },
  };
}

/** What a browser holds that opened a link and has not said yes yet. */
async function confirmation({ ctx }: Pick<Owner, 'ctx'>): Promise<string> {
  const { code } = await createCliSession(ctx, '/');
  const redeemed = await redeemCliSession({ ...ctx, actor: { kind: 'anonymous' } }, { code, session: undefined, confirmCookie: undefined });
  if (!('confirm' in redeemed)) throw new Error('a signed-out browser was not asked');
  return redeemed.confirm.token;
}
