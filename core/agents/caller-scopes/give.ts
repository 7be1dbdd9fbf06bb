import type { Knex } from 'knex';
import type { z } from 'zod';
import { type CallerScopesIn, type CallerScopesOut, MAX_CALLER_SCOPES } from '#contract/agents/caller-scopes.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict, NotFound } from '../../kernel/errors.ts';
import { agentNamed } from '../agent/find.ts';
import { callerScopes, presentCallerScopes } from './list.ts';

/** @throws NotFound account_not_found; Conflict account_ambiguous, caller_scopes_limit */
export async function giveCallerScopes(ctx: Ctx, i: { name: string } & z.infer<typeof CallerScopesIn>): Promise<z.infer<typeof CallerScopesOut>> {
  return act(ctx, 'caller_scopes.give', agentNamed(i.name), async (ctx, { agent_id }) => {
    await ctx.db('agents').where({ agent_id }).forUpdate().first('agent_id');
    const user_id = await accountOf(ctx.db, agent_id, i.account);
    const scopes = [...new Set(i.scopes)];
    const others = await ctx.db('caller_scopes').where({ agent_id }).whereNot({ user_id }).count<{ count: string }[]>('* as count');
    if (Number(others[0]?.count ?? 0) >= MAX_CALLER_SCOPES)
      throw new Conflict('caller_scopes_limit', `An agent gives scopes to at most ${MAX_CALLER_SCOPES} accounts: withdraw some first`);
    await ctx
      .db('caller_scopes')
      .insert({ agent_id, user_id, scopes })
      .onConflict(['agent_id', 'user_id'])
      .merge({ scopes, updated_at: ctx.db.raw('now()') });
    const row = await callerScopes(ctx.db, agent_id).where({ 'c.user_id': user_id }).first();
    if (!row) throw new Error('the scopes were not stored');
    return done({ agent: agent_id }, { account_id: user_id, scopes }, presentCallerScopes(row));
  });
}

/**
 * An id, or what the owner was told with a call: who has an account here is nobody's to try out. Scopes are
 * given to the account, not to the address, which another provider of identities may vouch for as well.
 */
async function accountOf(tx: Knex.Transaction, agentId: string, account: string): Promise<string> {
  const matches = await tx('users as u')
    .leftJoin('organizations as o', 'o.organization_id', 'u.user_id')
    .where({ 'u.user_id': account })
    .orWhere((query) =>
      query
        .where((named) => named.whereRaw("u.kind = 'person' and lower(u.email) = lower(?)", [account]).orWhere({ 'o.slug': account }))
        .whereExists(tx('receipts as r').whereRaw('r.caller_user_id = u.user_id').where({ 'r.agent_id': agentId }).select(tx.raw('1'))),
    )
    .limit(2)
    .select('u.user_id');
  const [one, another] = matches;
  if (!one) throw new NotFound('account_not_found', `No account ${account} has called this agent: let them call it once, or give the id of their account`);
  if (another) throw new Conflict('account_ambiguous', `Several accounts that have called this agent have the address ${account}: give the id of one`);
  return one.user_id;
}
