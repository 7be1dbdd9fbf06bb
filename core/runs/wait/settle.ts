// The one writer of what became of a wait. Called by its workflow, perhaps more than once; the first call counts.
import type { Knex } from 'knex';
import type { WaitsRow } from '../../../db/tables.ts';
import { audit } from '../../audit/record.ts';
import type { Ctx } from '../../ctx.ts';
import { DomainError } from '../../errors.ts';
import { appendEvent } from '../../jobs/append-event.ts';
import { storableJson } from '../../storable.ts';
import { inTx } from '../../tx.ts';
import { extendGrant } from '../../workspace/grant/extend.ts';
import { runGoesOn } from '../run/waits.ts';
import { tellWaitSettled } from '../thread/hooks.ts';
import { type HeldWait, holdWait } from './hold.ts';
import { type StoredResolution, type WaitOutcome, wishOf } from './model.ts';

/**
 * Resolves with whether somebody waits to be told. `onSure` is called once nothing can come between any more: the run cannot end, nor ask on,
 * before this is written. It may resolve when somebody was told, and never rejects.
 */
export async function settleWait(
  ctx: Ctx,
  waitId: string,
  outcome: WaitOutcome,
  onSure: (held: HeldWait) => Promise<unknown> | undefined = () => undefined,
): Promise<{ tell: boolean }> {
  return inTx(ctx, async (tx, inner) => {
    const held = await holdWait(tx, waitId);
    if (!held) return { tell: false };
    const { row, run } = held;
    const tell = outcome.decision !== 'cancelled' && row.delivered_at === null && run?.ended_at === null;
    const told = tell ? onSure(held) : undefined;
    if (row.state === 'pending') await write(tx, inner, row, outcome, told);
    return { tell };
  });
}

async function write(tx: Knex.Transaction, ctx: Ctx, row: WaitsRow, outcome: WaitOutcome, told: Promise<unknown> | undefined): Promise<void> {
  const { state, resolution } = await decided(tx, ctx, row, outcome);
  const by = 'by' in outcome ? outcome.by : null;
  await tx('waits')
    .where({ wait_id: row.wait_id, state: 'pending' })
    .update({ state, resolution: storableJson(resolution), resolved_by: by, resolved_at: new Date(ctx.clock()).toISOString() });
  await tx('runs')
    .where('run_id', row.run_id)
    .where({ state: 'waiting' })
    .whereNotExists(tx('waits').where({ run_id: row.run_id, state: 'pending' }).select(tx.raw('1')))
    .update({ state: 'running' });
  await runGoesOn(tx, ctx, row.run_id, told);
  if (row.job_id !== null) await appendEvent(tx, row.job_id, `wait.${state}`, { wait_id: row.wait_id, kind: row.kind });
  await tellWaitSettled(tx, ctx, row, { state, reason: resolution.reason });
  await audit(tx, ctx, `wait.${state}`, row.wait_id, { kind: row.kind, run_id: row.run_id, by, grant_id: resolution.grant_id ?? null });
}

interface Decided {
  state: WaitOutcome['decision'];
  resolution: StoredResolution;
}

async function decided(tx: Knex.Transaction, ctx: Ctx, row: WaitsRow, outcome: WaitOutcome): Promise<Decided> {
  switch (outcome.decision) {
    case 'answered':
      return { state: 'answered', resolution: { answer: outcome.answer, request_id: outcome.request_id } };
    case 'denied':
      return { state: 'denied', resolution: { reason: outcome.reason ?? '', request_id: outcome.request_id } };
    case 'approved':
      return row.kind === 'scope_request' ? approved(tx, ctx, row, outcome.request_id) : { state: 'approved', resolution: { request_id: outcome.request_id } };
    case 'expired':
    case 'cancelled':
      return { state: outcome.decision, resolution: {} };
  }
}

/** The grant is made now, so that its time counts from the approval. */
async function approved(tx: Knex.Transaction, ctx: Ctx, row: WaitsRow, request_id: string): Promise<Decided> {
  const wish = wishOf(row);
  const parent = wish.grant_id === null ? null : await tx('grants').where({ grant_id: wish.grant_id }).first();
  const denied = (reason: string): Decided => ({ state: 'denied', resolution: { reason, request_id } });
  if (parent === undefined || (parent && parent.revoked_at !== null)) return denied('the grant that was to be extended has been revoked');
  try {
    // A savepoint: what the grant's own rules refuse must not undo the answer.
    const { grant } = await tx.transaction((inner) =>
      extendGrant(inner, ctx, {
        parent,
        userId: row.asked_of,
        audience: row.agent_name ?? '',
        read: wish.read,
        deny: wish.deny_patterns,
        writePrefix: wish.write_prefix,
        mode: wish.mode,
        ttlSeconds: wish.ttl_seconds,
        runId: row.run_id,
        waitId: row.wait_id,
        reason: wish.reason,
      }),
    );
    return { state: 'approved', resolution: { grant_id: grant.grant_id, request_id } };
  } catch (error) {
    if (error instanceof DomainError) return denied(error.message);
    throw error;
  }
}
