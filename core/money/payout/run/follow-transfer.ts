// A transfer, as the processor has it now. What came back of it is owed again: the books say so by an entry
// of their own and the creator's next statement by a line of its own; what was signed stays. It is held as
// long as a call's share, in which operators may still see why it came back.
import type { Transfer } from '#drivers/payments/payouts-port.ts';
import type { PayoutTransfersRow } from '#db/tables.ts';
import { audit } from '../../../kernel/audit.ts';
import type { TxCtx } from '../../../kernel/ctx.ts';
import { newId } from '../../../kernel/ids.ts';
import { setting } from '../../../kernel/settings.ts';
import { accountOf, platformAccount } from '../../ledger/accounts.ts';
import { post } from '../../ledger/post.ts';
import type { Follower } from '../../processor/follow.ts';
import { addNotice } from '../notices.ts';
import { CENT } from '../states.ts';
import { markPaid } from './pay.ts';

const DAY_MS = 86_400_000;

/**
 * One that we did not make is none of ours: another installation may use the same account at the processor.
 */
export const followTransfer: Follower = async (ctx, payments, id) => {
  const transfer = await payments.readTransfer(id);
  const known = transfer.reference === null ? undefined : await ctx.db('payout_transfers').where({ transfer_id: transfer.reference }).first('transfer_id');
  if (!known) return undefined;
  const holdMs = (await setting(ctx.db, 'payout_hold_days')) * DAY_MS;
  // What came back only ever grows: a read that is older than the last write changes nothing.
  return { write: (ctx) => write(ctx, known.transfer_id, transfer, holdMs).then(() => true) };
};

async function write(ctx: TxCtx, transfer_id: string, transfer: Transfer, holdMs: number): Promise<void> {
  const row = await ctx.db('payout_transfers').where({ transfer_id }).forUpdate().first();
  if (!row) return;
  if (!isSame(row, transfer)) return void (await stray(ctx, row, transfer));
  // Its answer was lost: this is the answer.
  if (row.state === 'pending') await markPaid(ctx, row, transfer.id);
  await takeBack(ctx, row, transfer.reversedCents * CENT, holdMs);
}

/** False also of one that was given up as not sent: its lines may have been paid since. */
function isSame(row: PayoutTransfersRow, { id, destination, cents, group }: Transfer): boolean {
  return (
    row.state !== 'failed' &&
    row.destination === destination &&
    row.amount_micros === cents * CENT &&
    row.run_id === group &&
    (row.processor_id === null || row.processor_id === id)
  );
}

/**
 * Money left under our reference that no record of ours accounts for: a person has to look
 * (deploy/runbooks/payouts.md).
 */
async function stray(ctx: TxCtx, { transfer_id, run_id, state }: PayoutTransfersRow, found: Transfer): Promise<void> {
  const left = (found.cents - found.reversedCents) * CENT;
  if (left > 0) await audit(ctx, 'payout.stray', { transfer: transfer_id }, { run_id, state, processor_id: found.id, amount_micros: left });
}

async function takeBack(ctx: TxCtx, row: PayoutTransfersRow, reversed_micros: number, holdMs: number): Promise<void> {
  const { transfer_id, run_id, creator_id } = row;
  const micros = reversed_micros - row.reversed_micros;
  if (micros <= 0) return;
  const at = new Date(ctx.clock());
  await ctx.db('payout_transfers').where({ transfer_id }).update({ reversed_micros });
  await ctx.db('payout_lines').insert({
    line_id: newId('pol', at.getTime()),
    kind: 'returned',
    state: 'held',
    creator_id,
    of_transfer_id: transfer_id,
    charged_micros: micros,
    creator_micros: micros,
    received_micros: micros,
    amount_micros: micros,
    reason: 'transfer_reversed',
    at,
    hold_until: new Date(at.getTime() + holdMs),
    created_at: at,
  });
  const [from, to] = [await platformAccount(ctx.db, 'payouts', transfer_id), await accountOf(ctx.db, 'earnings', creator_id)];
  const lines = [{ accountId: from, micros: -micros }, { accountId: to, micros }]; // prettier-ignore
  const key = `payout_return:${transfer_id}:${reversed_micros}`;
  await post(ctx.db, { key, kind: 'payout_return', lines, refs: { transfer_id, run_id }, at: at.getTime() });
  await addNotice(ctx.db, { user_id: creator_id, kind: 'transfer_reversed', subject: `${transfer_id}:${reversed_micros}`, details: { run_id, micros }, at });
  await audit(ctx, 'payout.reversed', { transfer: transfer_id }, { run_id, amount_micros: micros });
}
