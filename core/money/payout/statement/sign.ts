// Signs what a transfer paid with the key that signs receipts; once, when it was paid.
import { createHash } from 'node:crypto';
import { MerkleRoot, toHex } from '#contract/wire/merkle.ts';
import { encodeSigned } from '#contract/wire/signed.ts';
import { lineBytes, statementBytes } from '#contract/wire/statement.ts';
import type { PayoutTransfersRow } from '#db/tables.ts';
import { openPrivateKey, ensureReceiptKey } from '../../../evidence/receipt/keys.ts';
import { signBytes } from '../../../evidence/receipt/signature.ts';
import { system } from '../../../kernel/act.ts';
import type { Ctx } from '../../../kernel/ctx.ts';
import { statementLines } from './lines.ts';

export const sha256Bytes = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest();

/** Does nothing where it was not paid, or is signed. */
export async function signStatement(ctx: Ctx, transfer_id: string, onBatch: () => void = () => undefined): Promise<void> {
  const row = await ctx.db('payout_transfers').where({ transfer_id, state: 'paid' }).whereNull('statement').first();
  if (!row?.ended_at) return;
  const [issuedAt, found] = [row.ended_at, await read(ctx, row, onBatch)];
  // The audit log has the payment.
  await system(ctx, async (ctx) => {
    const key = await ensureReceiptKey(ctx, issuedAt.getTime());
    const bytes = statementBytes({
      type: 'svc.payout-statement.v1',
      statement_id: transfer_id,
      run_id: row.run_id,
      account: row.creator_id,
      kid: key.kid,
      currency: 'usd',
      from: found.from,
      to: found.to,
      lines: found.lines,
      root_sha256: found.root,
      lines_micros: row.lines_micros,
      carried_micros: row.lines_micros - row.amount_micros,
      paid_micros: row.amount_micros,
      issued_at: issuedAt.toISOString(),
    });
    const statement = encodeSigned(bytes, signBytes(bytes, await openPrivateKey(ctx.drivers.vault, key)));
    await ctx.db('payout_transfers').where({ transfer_id }).whereNull('statement').update({ statement, root_sha256: found.root });
  });
}

/** @throws Error where the lines are not those that were paid: nothing wrong is signed */
async function read({ db }: Ctx, { transfer_id, lines, lines_micros }: PayoutTransfersRow, onBatch: () => void) {
  const tree = new MerkleRoot(sha256Bytes);
  let [sum, from, to] = [0, '', ''];
  for await (const line of statementLines(db, transfer_id, onBatch)) {
    await tree.add(lineBytes(line));
    sum += line.amount_micros;
    [from, to] = [from === '' ? line.at : from, line.at];
  }
  if (tree.size !== lines || sum !== lines_micros)
    throw new Error(`the lines of ${transfer_id} are not those that were paid: ${tree.size} of ${lines}, ${sum} of ${lines_micros}`);
  return { root: toHex(await tree.root()), lines: tree.size, from, to };
}
