// A reward waits in an account of the ledger of its own, from the post of the bounty to its end.
import type { Knex } from 'knex';
import type { LedgerAccountKind } from '#contract/states.ts';
import { accountOf } from '../ledger/accounts.ts';
import { post, reverse } from '../ledger/post.ts';

interface Rewarded {
  bounty_id: string;
  poster_id: string;
  reward_micros: number;
}

/** @throws PaymentRequired insufficient_credits */
export async function holdReward(tx: Knex.Transaction, { bounty_id, poster_id, reward_micros }: Rewarded, at: number): Promise<void> {
  if (reward_micros > 0) await move(tx, bounty_id, 'posted', { kind: 'wallet', owner: poster_id }, { kind: 'escrow', owner: bounty_id }, reward_micros, at);
}

export async function payReward(tx: Knex.Transaction, { bounty_id, reward_micros }: Rewarded, to: string, at: number): Promise<void> {
  if (reward_micros > 0) await move(tx, bounty_id, 'fulfilled', { kind: 'escrow', owner: bounty_id }, { kind: 'earnings', owner: to }, reward_micros, at);
}

export async function returnReward(tx: Knex.Transaction, { bounty_id, reward_micros }: Rewarded, at: number): Promise<void> {
  if (reward_micros > 0) await reverse(tx, { key: keyOf(bounty_id, 'posted'), refs: { bounty_id }, at });
}

interface Account {
  kind: LedgerAccountKind;
  owner: string;
}

const keyOf = (bountyId: string, step: string): string => `bounty:${bountyId}:${step}`;

async function move(tx: Knex.Transaction, bounty_id: string, step: string, from: Account, to: Account, micros: number, at: number): Promise<void> {
  const [fromId, toId] = [await accountOf(tx, from.kind, from.owner), await accountOf(tx, to.kind, to.owner)];
  const lines = [{ accountId: fromId, micros: -micros }, { accountId: toId, micros }]; // prettier-ignore
  await post(tx, { key: keyOf(bounty_id, step), kind: 'escrow', lines, refs: { bounty_id }, at });
}
