// Taking back. What came from a revoked grant is no longer valid either; its rows say so through their chain.
import type { Knex } from 'knex';
import { whereMay } from '../../kernel/policy.ts';
import { act, recorded, unchanged } from '../../kernel/act.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { storableText } from '../../kernel/storable.ts';

/** By whose files they are. Revoking twice is revoking once. */
export async function revokeGrant(ctx: Ctx, i: { grant_id: string; reason?: string | null }): Promise<void> {
  await act(
    ctx,
    'grant.revoke',
    ({ actor }, action) => whereMay(actor, action),
    async (ctx, mine) => {
      const revoked = await revokeWhere(ctx, (query) => mine(query.where({ grant_id: i.grant_id })), i.reason ?? 'revoked by its owner');
      if (revoked.length > 0) return recorded(undefined);
      const before = await ctx.db('grants').where({ grant_id: i.grant_id }).where(mine).first('grant_id');
      if (!before) throw new NotFound('grant_not_found', `You have no grant ${i.grant_id}: list yours with "svc files shares"`);
      return unchanged(undefined);
    },
  );
}

/** All that was given in a run: to it, and by it to others. Resolves with their ids. */
export function revokeGrantsOfRun(ctx: TxCtx, runId: string, reason: string): Promise<string[]> {
  return revokeWhere(ctx, (query) => void query.where({ run_id: runId }), reason);
}

/** All that somebody gave of an organization's files, acting for it. */
export function revokeGrantsMadeBy(ctx: TxCtx, of: { organization_id: string; user_id: string }, reason: string): Promise<string[]> {
  const made = `exists (select 1 from audit_log a where a.target_id = grant_id and a.action like 'grant.%' and a.action <> 'grant.revoke'
    and a.actor_id = :user_id and a.owner_id = :organization_id)`;
  return revokeWhere(ctx, (query) => void query.where({ owner_id: of.organization_id }).whereRaw(made, of), reason);
}

async function revokeWhere(ctx: TxCtx, where: (query: Knex.QueryBuilder) => void, reason: string): Promise<string[]> {
  const rows = await ctx
    .db('grants')
    .where(where)
    .whereNull('revoked_at')
    .update({ revoked_at: new Date(ctx.clock()), revoked_reason: storableText(reason) })
    .returning('grant_id');
  for (const { grant_id } of rows) await audit(ctx, 'grant.revoke', { grant: grant_id }, { reason });
  return rows.map(({ grant_id }) => grant_id);
}
