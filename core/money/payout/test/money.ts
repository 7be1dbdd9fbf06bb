// Money that moves as it does in earnest: through the ledger's own functions, and receipts that are really sealed.
import { randomUUID } from 'node:crypto';
import { sealReceipt } from '../../../evidence/receipt/sign.ts';
import type { Ctx } from '../../../kernel/ctx.ts';
import { newId } from '../../../kernel/ids.ts';
import { inTx } from '../../../kernel/tx.ts';
import { accountOf, platformAccount } from '../../ledger/accounts.ts';
import { bindingsOf, post } from '../../ledger/post.ts';
import { facts, type TestAgent } from '#test/support/verbs.ts';

type Kind = 'top_up' | 'promotion';

/** Its key. */
export async function fund({ db, clock }: Ctx, kind: Kind, userId: string, micros: number): Promise<string> {
  const key = `${kind}:${randomUUID()}`;
  const [wallet, from] = [await accountOf(db, 'wallet', userId), await platformAccount(db, kind === 'top_up' ? 'funding' : 'promotion', key)];
  const lines = [{ accountId: wallet, micros }, { accountId: from, micros: -micros }]; // prettier-ignore
  await post(db, { key, kind, lines, refs: {}, at: clock() });
  return key;
}

export async function balanceOf({ db }: Ctx, userId: string, kind: 'wallet' | 'earnings' = 'wallet'): Promise<number> {
  const row = await db('ledger_accounts').where({ kind, owner_id: userId }).first('balance_micros');
  return row?.balance_micros ?? 0;
}

/** The processor took a top-up back: what the wallet has pays, the rest is a loss of the platform. What each came to; undefined: it was taken back before. */
export async function refund({ db, clock }: Ctx, userId: string, topUp: string): Promise<{ wallet: number; loss: number } | undefined> {
  const entries = await db('ledger_entries as e')
    .join('ledger_transactions as t', 't.transaction_id', 'e.transaction_id')
    .where({ 't.key': topUp })
    .orderBy('e.amount_micros', 'desc')
    .select('t.transaction_id', 'e.account_id', 'e.amount_micros');
  const [into, from] = entries;
  if (!into || !from) throw new Error(`there is no top-up ${topUp}`);
  const wallet = Math.min(into.amount_micros, await balanceOf({ db } as Ctx, userId));
  const loss = into.amount_micros - wallet;
  const lines = [
    { accountId: into.account_id, micros: -wallet },
    { accountId: await platformAccount(db, 'losses', topUp), micros: -loss },
    { accountId: from.account_id, micros: into.amount_micros },
  ].filter(({ micros }) => micros !== 0);
  const bindings = { ...bindingsOf({ key: `reversal:${topUp}`, kind: 'reversal', lines, refs: {}, at: clock() }), reverses: into.transaction_id };
  const known = await db('ledger_transactions')
    .where({ key: `reversal:${topUp}` })
    .first('key');
  if (known) return undefined;
  await db.raw('select ledger_post(:id, :key, :kind, :reverses, :refs, :at, :accounts, :amounts)', bindings);
  return { wallet, loss };
}

/** The payer pays `micros`, of which `recovered` is for what was lost before. */
export async function topUpWithDebt({ db, clock }: Ctx, userId: string, micros: number, recovered: number): Promise<string> {
  const key = `top_up:${randomUUID()}`;
  const lines = [
    { accountId: await accountOf(db, 'wallet', userId), micros: micros - recovered },
    { accountId: await platformAccount(db, 'losses', key), micros: recovered },
    { accountId: await platformAccount(db, 'funding', key), micros: -micros },
  ].filter((line) => line.micros !== 0);
  await post(db, { key, kind: 'top_up', lines, refs: {}, at: clock() });
  return key;
}

export interface Charged {
  payer: string;
  creator: string;
  agent: TestAgent;
  micros: number;
  /** The creator's part of it. */
  share: number;
  status?: 'ok' | 'error';
}

/** A call that was paid, with its receipt. @throws PaymentRequired insufficient_credits */
export async function charge(ctx: Ctx, { payer, creator, agent, micros, share, status = 'ok' }: Charged): Promise<{ charge_id: string; key: string }> {
  const charge_id = `chg_${randomUUID()}`;
  const at = new Date(ctx.clock());
  const key = `charge:${charge_id}`;
  await inTx(ctx, async (tx, inner) => {
    const run_id = newId('run');
    const lines = [
      { accountId: await accountOf(tx, 'wallet', payer), micros: -micros },
      { accountId: await accountOf(tx, 'earnings', creator), micros: share },
      { accountId: await platformAccount(tx, 'fees', key), micros: micros - share },
    ].filter((line) => line.micros !== 0);
    await post(tx, { key, kind: 'charge', lines, refs: { charge_id, run_id }, at: at.getTime() });
    const receipt = await sealReceipt(
      tx,
      inner,
      facts(agent, { caller: { kind: 'user', id: payer, userId: payer }, status, endedAt: at.getTime(), startedAt: at.getTime() - 5 }),
    );
    await tx('charges').insert({
      charge_id,
      run_id,
      receipt_id: receipt.receipt_id,
      agent_id: agent.id,
      skill: 'slugify',
      price_id: 'prc_1',
      creator_id: creator,
      payer_id: payer,
      state: 'settled',
      free: false,
      held_micros: micros,
      amount_micros: micros,
      creator_micros: share,
      fee_micros: micros - share,
      started_at: at,
      ended_at: at,
    });
  });
  return { charge_id, key };
}
