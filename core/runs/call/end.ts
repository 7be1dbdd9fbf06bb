// One call, one receipt, whatever its outcome. Its run ends in the same transaction.
import type { Knex } from 'knex';
import type { Ctx } from '../../kernel/ctx.ts';
import { system } from '../../kernel/act.ts';
import { keepCallContent, leaveCallContent } from './content.ts';
import type { Streamed } from './streamed.ts';
import { endRun, endRunUnlessDurable, type Receipt } from '../run/end.ts';
import type { CallFacts } from '../run/facts.ts';
import type { Outcome } from '../run/outcome.ts';
import { endPlainCall } from './end-plain.ts';
import { deleteOpenCall, releasing } from './open-calls.ts';

/** Without `callId`: no row of open_calls names it. */
export type EndingCall = CallFacts & { callId?: string; args?: () => unknown; streamed?: Streamed };

/** Undefined: its run has become durable, and ends with its workflow. */
export async function endCall(ctx: Ctx, call: EndingCall, outcome: Outcome): Promise<Receipt | undefined> {
  const end = (): Promise<Receipt | undefined> => system(ctx, async (ctx) => (await receiptOfSweep(ctx.db, call)) ?? endRunUnlessDurable(ctx, call, outcome));
  call.streamed?.end();
  const receipt = await releasing([call], async () => (await endPlain(ctx, call, outcome)) ?? end());
  if (receipt) keepCallContent(ctx, call, outcome);
  else leaveCallContent(ctx, call);
  return receipt;
}

async function endPlain(ctx: Ctx, call: EndingCall, outcome: Outcome): Promise<Receipt | undefined> {
  const receipt = await endPlainCall(ctx, call, outcome);
  for (const { answered } of ctx.followers.runs) answered(ctx, call, outcome);
  return receipt;
}

/** Of a run whose events several processes may have read: the first to read its end writes it. */
export async function endFollowedCall(ctx: Ctx, call: EndingCall, outcome: Outcome): Promise<Receipt> {
  call.streamed?.end();
  const ended = await releasing([call], () =>
    system(ctx, async (ctx) => {
      const open = ctx.db('open_calls').where({ call_id: call.callId ?? '' });
      const receiptId = (await open.clone().forUpdate().first('receipt_id'))?.receipt_id ?? undefined;
      const known = receiptId === undefined ? undefined : await receiptOf(ctx.db, receiptId);
      if (known) return known;
      const receipt = await endRun(ctx, call, outcome);
      await open.update({ receipt_id: receipt.receipt_id });
      return receipt;
    }),
  );
  keepCallContent(ctx, call, outcome);
  return ended;
}

/** A sweep that took this process for dead has ended the call: it has one receipt. */
async function receiptOfSweep(tx: Knex.Transaction, { callId }: EndingCall): Promise<Receipt | undefined> {
  const receiptId = callId === undefined ? undefined : await deleteOpenCall(tx, callId);
  return receiptId === undefined ? undefined : receiptOf(tx, receiptId);
}

function receiptOf(tx: Knex.Transaction, receiptId: string): Promise<Receipt | undefined> {
  return tx('receipts').where({ receipt_id: receiptId }).first('receipt_id', 'token');
}
