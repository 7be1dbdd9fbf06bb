// One call, one receipt, whatever became of the call. Its run ends in the same transaction.
import type { Knex } from 'knex';
import type { Ctx } from '../../kernel/ctx.ts';
import { type SealedReceipt, sealReceipt } from '../../evidence/receipt/seal.ts';
import { endRun, endUnlessDurable, type RunFacts, type RunEndState } from '../run/end.ts';
import { inTx } from '../../kernel/tx.ts';
import type { Call, Ending } from './call.ts';
import { releaseCall, closeCall } from './open-calls.ts';

const outcomeOf: Record<Ending['status'], RunEndState> = { ok: 'succeeded', error: 'failed', cancelled: 'cancelled' };

export type Sealed = Pick<SealedReceipt, 'receipt_id' | 'token'>;

/** What a receipt says of a call; where its agent can be reached is not asked. */
export type SealedCall = Omit<Call, 'callId' | 'route' | 'caller'> & {
  /** Absent: it was not noted, as its run's row says all. */
  callId?: string;
  caller: Omit<Call['caller'], 'kind'> & { kind: string };
  route: Pick<Call['route'], 'agentId' | 'agentName' | 'deployId' | 'version' | 'image' | 'runtime'>;
};

export async function sealCall(ctx: Ctx, call: SealedCall, ending: Ending): Promise<Sealed> {
  return orAbandon(
    call,
    inTx(ctx, async (tx, inner) => {
      const known = await sealedInItsPlace(tx, call);
      return known ?? seal(tx, inner, call, ending, await endRun(tx, inner, call.run.run_id, outcomeOf[ending.status]));
    }),
  );
}

/** Undefined: the run has become its workflow's own, which seals it when it ends. */
export async function sealUnlessDurable(ctx: Ctx, call: SealedCall, ending: Ending): Promise<Sealed | undefined> {
  return orAbandon(
    call,
    inTx(ctx, async (tx, inner) => {
      const known = await sealedInItsPlace(tx, call);
      if (known) return known;
      const did = await endUnlessDurable(tx, inner, call.run.run_id, outcomeOf[ending.status]);
      return did === 'durable' ? undefined : seal(tx, inner, call, ending, did);
    }),
  );
}

/** Of a run that several processes may have listened to: the first to hear its end seals it. */
export async function sealFollowed(ctx: Ctx, call: SealedCall, ending: Ending): Promise<Sealed> {
  return orAbandon(
    call,
    inTx(ctx, async (tx, inner) => {
      const note = tx('open_calls').where({ call_id: call.callId ?? '' });
      const receiptId = (await note.clone().forUpdate().first('receipt_id'))?.receipt_id ?? undefined;
      const known = receiptId === undefined ? undefined : await receiptOf(tx, receiptId);
      if (known) return known;
      const sealed = await seal(tx, inner, call, ending, await endRun(tx, inner, call.run.run_id, outcomeOf[ending.status]));
      await note.update({ receipt_id: sealed.receipt_id });
      return sealed;
    }),
  );
}

/** What cannot be written now is ended by the sweep of lost calls. */
async function orAbandon<T>({ callId }: SealedCall, sealing: Promise<T>): Promise<T> {
  try {
    return await sealing;
  } catch (error) {
    if (callId !== undefined) releaseCall(callId);
    throw error;
  }
}

/** By a sweep that took this process for dead: a call has one receipt. */
async function sealedInItsPlace(tx: Knex.Transaction, { callId }: SealedCall): Promise<Sealed | undefined> {
  const receiptId = callId === undefined ? undefined : await closeCall(tx, callId);
  return receiptId === undefined ? undefined : receiptOf(tx, receiptId);
}

function receiptOf(tx: Knex.Transaction, receiptId: string): Promise<Sealed | undefined> {
  return tx('receipts').where({ receipt_id: receiptId }).first('receipt_id', 'token');
}

async function seal(tx: Knex.Transaction, ctx: Ctx, call: SealedCall, ending: Ending, did: RunFacts | undefined): Promise<Sealed> {
  const { caller, route, skill, inputSha256, startedAt, run, grantId } = call;
  const sealed = await sealReceipt(tx, ctx, {
    agent: { id: route.agentId, name: route.agentName, version: route.version, image: route.image },
    deployId: route.deployId,
    jobId: run.job_id,
    runId: run.run_id,
    caller,
    skill,
    inputSha256,
    outputSha256: ending.status === 'ok' ? ending.outputSha256 : null,
    status: ending.status,
    errorCode: ending.status === 'ok' ? null : ending.errorCode,
    startedAt,
    endedAt: ctx.clock(),
    runtime: route.runtime,
    grants: grantId === null ? [] : [grantId],
    ...did,
  });
  if (did) await tx('runs').where({ run_id: run.run_id }).update({ receipt_id: sealed.receipt_id });
  return sealed;
}
