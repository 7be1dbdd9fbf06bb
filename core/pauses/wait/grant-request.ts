// Makes the grant of an approved request, or denies it where the rules for grants refuse it.
import type { WaitsRow } from '#db/tables.ts';
import type { TxCtx } from '../../kernel/ctx.ts';
import { DomainError } from '../../kernel/errors.ts';
import { extendGrant } from '../../workspace/grant/extend.ts';
import type { Decided } from './write-outcome.ts';
import { scopeRequestOf } from './model.ts';

/** The grant is made now, so that its time counts from the approval. */
export async function grantScopeRequest(ctx: TxCtx, row: WaitsRow): Promise<Decided> {
  const request = scopeRequestOf(row);
  const parent = request.grant_id === null ? null : await ctx.db('grants').where({ grant_id: request.grant_id }).first();
  const denied = (reason: string): Decided => ({ state: 'denied', resolution: { reason } });
  if (parent === undefined || (parent && parent.revoked_at !== null)) return denied('the grant that was to be extended has been revoked');
  if (request.of_writes)
    return request.grant_id === null ? denied('there is no grant to write under') : { state: 'approved', resolution: { grant_id: request.grant_id } };
  try {
    // A savepoint: a refusal by the rules for grants must not undo the answer.
    const { grant } = await ctx.db.transaction((inner) =>
      extendGrant(
        { ...ctx, db: inner },
        {
          parent,
          userId: row.asked_of,
          audience: row.agent_name ?? '',
          read: request.read,
          deny: request.deny_patterns,
          writePrefix: request.write_prefix,
          mode: request.mode,
          ttlSeconds: request.ttl_seconds,
          runId: row.run_id,
          waitId: row.wait_id,
          reason: request.reason,
        },
      ),
    );
    return { state: 'approved', resolution: { grant_id: grant.grant_id } };
  } catch (error) {
    if (error instanceof DomainError) return denied(error.message);
    throw error;
  }
}
