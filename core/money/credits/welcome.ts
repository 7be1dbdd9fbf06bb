// Credits that operators give: to new accounts, and by whatever else promotes.
import type { Knex } from 'knex';
import { setting } from '../../kernel/settings.ts';
import { accountOf, platformAccount } from '../ledger/accounts.ts';
import { post } from '../ledger/post.ts';
import { CENT_MICROS } from '../processor/ask.ts';

export interface Gift {
  /** What for: the same key is given once. */
  key: string;
  userId: string;
  micros: number;
  refs: Record<string, string>;
  at: number;
}

export async function give(db: Knex, { key, userId, micros, refs, at }: Gift): Promise<void> {
  if (micros <= 0) return;
  const [wallet, promotion] = [await accountOf(db, 'wallet', userId), await platformAccount(db, 'promotion', key)];
  const lines = [{ accountId: wallet, micros }, { accountId: promotion, micros: -micros }]; // prettier-ignore
  await post(db, { key, kind: 'promotion', lines, refs, at });
}

/** To an account that was just made, in the same transaction. */
export async function giveWelcome(db: Knex, userId: string, at: number): Promise<void> {
  const cents = await setting(db, 'welcome_credits_cents');
  await give(db, { key: `welcome:${userId}`, userId, micros: cents * CENT_MICROS, refs: { why: 'welcome' }, at });
}
