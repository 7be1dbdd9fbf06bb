// Money that moves as in production: through the ledger's own functions, and receipts that are really sealed.
import { randomUUID } from 'node:crypto';
import { appendReceipt } from '../../../evidence/receipt/sign.ts';
import type { Ctx } from '../../../kernel/ctx.ts';
import { newId } from '../../../kernel/ids.ts';
import { inTx } from '../../../kernel/tx.ts';
import { accountOf, platformAccount } from '../../ledger/accounts.ts';
import { post } from '../../ledger/post.ts';
import { facts, type TestAgent } from '#test/support/verbs.ts';

type Kind = 'top_up' | 'promotion';

/** Its id. */
export async function fund({ db, clock }: Ctx, kind: Kind, userId: string, micros: number): Promise<string> {
  const id = randomUUID();
  const [wallet, from] = [await accountOf(db, 'wallet', userId), await platformAccount(db, kind === 'top_up' ? 'funding' : 'promotion', id)];
  const lines = [{ accountId: wallet, micros }, { accountId: from, micros: -micros }]; // prettier-ignore
  await post(db, { key: `${kind}:${id}`, kind, lines, refs: kind === 'top_up' ? { top_up_id: id } : {}, at: clock() });
  return id;
}

export async function balanceOf({ db }: Pick<Ctx, 'db'>, userId: string, kind: 'wallet' | 'earnings' = 'wallet'): Promise<number> {
  const row = await db('ledger_accounts').where({ kind, owner_id: userId }).first('balance_micros');
  return row?.balance_micros ?? 0;
}

interface Moved {
  /** Of the platform's losses: what no balance covered, or what is paid of it. */
  losses: number;
  wallet: number;
}

/**
 * The processor took money of a top-up back: what the wallet has pays, the rest is a loss of the platform.
 * What each came to.
 */
export async function refund(ctx: Ctx, userId: string, topUp: string, micros: number): Promise<Moved> {
  const wallet = Math.min(micros, await balanceOf(ctx, userId));
  await move(ctx, 'refund', userId, topUp, { wallet: -wallet, losses: wallet - micros });
  return { wallet, losses: micros - wallet };
}

/** A dispute was won. `owed`: by the wallet. */
export async function restore(ctx: Ctx, userId: string, topUp: string, { micros, owed }: { micros: number; owed: number }): Promise<Moved> {
  const losses = Math.min(owed, micros);
  await move(ctx, 'restore', userId, topUp, { wallet: micros - losses, losses });
  return { wallet: micros - losses, losses };
}

/** The wallet pays what it owes. */
export async function recover(ctx: Ctx, userId: string, micros: number): Promise<void> {
  await move(ctx, 'recovery', userId, null, { wallet: -micros, losses: micros });
}

async function move(
  { db, clock }: Ctx,
  kind: 'refund' | 'restore' | 'recovery',
  userId: string,
  topUp: string | null,
  { wallet, losses }: Moved,
): Promise<void> {
  const lines = [
    { accountId: await accountOf(db, 'wallet', userId), micros: wallet },
    { accountId: await platformAccount(db, 'losses', userId), micros: losses },
    { accountId: await platformAccount(db, 'funding', topUp ?? userId), micros: -wallet - losses },
  ].filter(({ micros }) => micros !== 0);
  await post(db, { key: `${kind}:${randomUUID()}`, kind, lines, refs: topUp === null ? {} : { top_up_id: topUp }, at: clock() });
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
  await inTx(ctx, async (ctx) => {
    const run_id = newId('run');
    const lines = [
      { accountId: await accountOf(ctx.db, 'wallet', payer), micros: -micros },
      { accountId: await accountOf(ctx.db, 'earnings', creator), micros: share },
      { accountId: await platformAccount(ctx.db, 'fees', key), micros: micros - share },
    ].filter((line) => line.micros !== 0);
    await post(ctx.db, { key, kind: 'charge', lines, refs: { charge_id, run_id }, at: at.getTime() });
    const receipt = await appendReceipt(
      ctx,
      facts(agent, { caller: { kind: 'user', id: payer, userId: payer }, status, endedAt: at.getTime(), startedAt: at.getTime() - 5 }),
    );
    await ctx.db('charges').insert({
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
