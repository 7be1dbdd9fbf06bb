// What the console has at hand.
import type { Knex } from 'knex';
import type { Ctx } from '#core/kernel/ctx.ts';
import type { Api } from '../person.ts';

export interface AtHand {
  /** Acts as the platform. */
  ctx: Ctx;
  db: Knex;
  /** A ctx that acts as this account. */
  as(email: string): Promise<Ctx>;
  /** The API as this account calls it. */
  client(email: string): Promise<Api>;
}

export function atHand(platform: Ctx, client: AtHand['client']): AtHand {
  const ctx: Ctx = { ...platform, actor: { kind: 'platform', service: 'console' }, requestId: 'console' };
  return {
    ctx,
    db: ctx.db,
    client,
    async as(email) {
      const user = await ctx.db('users').where({ email }).first('user_id', 'operator');
      if (!user) throw new Error(`No account has the email ${email}. An account is made by its first sign-in: svc login --local ${email}`);
      return { ...ctx, actor: { kind: 'user', user_id: user.user_id, email, operator: user.operator, via: 'bearer', signed_in_at: ctx.clock() } };
    },
  };
}

export const GUIDE = `  ctx             what verbs take; it acts as the platform
  as(email)       a ctx that acts as this account
  db              its database: await db('agents').count()
  client(email)   the API as this account calls it: await (await client('ada@svc.local')).agents.mine()
  verbs           const { registerAgent } = await import('#core/agents/agent/register.ts')
Ctrl-D ends.`;
