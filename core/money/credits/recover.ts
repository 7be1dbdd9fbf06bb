// The round that collects what wallets owe: credits that were held when it was taken back are free later, and
// given ones come in.
import { system } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { platformAccount } from '../ledger/accounts.ts';
import { recover } from './move.ts';

const A_ROUND = 500;

export async function collectOwed(ctx: Ctx): Promise<void> {
  const owing = await ctx
    .db('ledger_accounts')
    .where('owed_micros', '>', 0)
    .whereRaw('balance_micros > held_micros')
    .limit(A_ROUND)
    .select('account_id', 'owner_id');
  for (const { account_id: wallet, owner_id } of owing) {
    await system(ctx, async (ctx) => {
      const losses = await platformAccount(ctx.db, 'losses', owner_id ?? '');
      await ctx.db('ledger_accounts').whereIn('account_id', [wallet, losses]).orderBy('account_id').forUpdate().select('account_id');
      await recover(ctx.db, { wallet, losses }, ctx.clock());
    });
  }
}
