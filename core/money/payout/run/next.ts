// The transfers of a run that are not done: paid or refused, and signed where they were paid.
import type { Ctx } from '../../../kernel/ctx.ts';
import { signStatement } from '../statement/sign.ts';
import { pay } from './pay.ts';

const TRANSFERS = 50;

/** False: all are done. `onStep` is called between the steps. */
export async function payNext(ctx: Ctx, run_id: string, onStep: () => void = () => undefined): Promise<boolean> {
  const open = await ctx
    .db('payout_transfers')
    .where({ run_id })
    .whereRaw(`(state = 'pending' or (state = 'paid' and statement is null))`)
    .orderBy('transfer_id')
    .limit(TRANSFERS)
    .select('transfer_id');
  const failures: unknown[] = [];
  for (const { transfer_id } of open) {
    // One that cannot be reached does not keep the others from what they are owed.
    await payAndSign(ctx, transfer_id, onStep).catch((error: unknown) => void failures.push(error));
    onStep();
  }
  if (failures.length > 0) throw failures[0];
  return open.length > 0;
}

async function payAndSign(ctx: Ctx, transferId: string, onStep: () => void): Promise<void> {
  await pay(ctx, transferId);
  onStep();
  await signStatement(ctx, transferId, onStep);
}

export async function endPayoutRun({ db, clock }: Ctx, run_id: string): Promise<void> {
  // The audit log has each transfer that ended.
  await db('payout_runs')
    .where({ run_id, state: 'running' })
    .update({ state: 'ended', ended_at: new Date(clock()) });
}
