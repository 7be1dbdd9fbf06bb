// Rows of lots, spends and allocations, many in one statement.
import type { Knex } from 'knex';
import { type Lot, leftOf, type Part } from './lots.ts';

type LotRow = Lot & { transaction_id: string };

/** The oldest open lots that cover `micros` together. */
export async function openLots(tx: Knex, account: string, micros: number, except = 0): Promise<Lot[]> {
  if (micros <= 0) return [];
  const { rows } = await tx.raw<{ rows: Lot[] }>(
    `select version, received_left as received, other_left as other, lost_left as lost from (
       select l.*, (sum(received_left + other_left) over (order by version) - received_left - other_left) as before
       from payout_lots l where account_id = :account and received_left + other_left > 0 and version <> :except
     ) l where before < :micros order by version`,
    { account, micros, except },
  );
  return rows;
}

export async function lotOf(tx: Knex, transactionId: string): Promise<(Lot & { account_id: string }) | undefined> {
  const columns = { version: 'version', received: 'received_left', other: 'other_left', lost: 'lost_left', account_id: 'account_id' };
  return tx('payout_lots').where({ transaction_id: transactionId }).first<Lot & { account_id: string }>(columns);
}

/** New ones as they are, known ones as they are now. */
export async function putLots(tx: Knex, account: string, lots: readonly (Lot & { transaction_id?: string })[]): Promise<void> {
  const isNew = (lot: Lot & { transaction_id?: string }): lot is LotRow => lot.transaction_id !== undefined;
  const [made, known] = [lots.filter(isNew), lots.filter((lot) => !isNew(lot))];
  const columns = (of: readonly Lot[]) => ({ account, versions: of.map(({ version }) => version), received: of.map(({ received }) => received), other: of.map(({ other }) => other), lost: of.map(({ lost }) => lost) }); // prettier-ignore
  if (made.length > 0)
    await tx.raw(
      `insert into payout_lots (account_id, version, transaction_id, received_left, other_left, lost_left)
       select :account, * from unnest(:versions::bigint[], :transactions::text[], :received::bigint[], :other::bigint[], :lost::bigint[])`,
      { ...columns(made), transactions: made.map(({ transaction_id }) => transaction_id) },
    );
  if (known.length > 0)
    await tx.raw(
      `update payout_lots l set received_left = n.received, other_left = n.other, lost_left = n.lost
       from unnest(:versions::bigint[], :received::bigint[], :other::bigint[], :lost::bigint[]) as n (version, received, other, lost)
       where l.account_id = :account and l.version = n.version`,
      columns(known),
    );
}

export interface Spend {
  version: number;
  transaction_id: string;
  kind: 'charge' | 'reward' | 'other';
  subject_id: string | null;
  micros: number;
  parts: Part[];
}

export async function putSpends(tx: Knex, account: string, spends: readonly Spend[]): Promise<void> {
  if (spends.length === 0) return;
  await tx.raw(
    `insert into payout_spends (account_id, version, transaction_id, kind, subject_id, amount_micros, received_micros, changed)
     select :account, s.*, true from unnest(:versions::bigint[], :transactions::text[], :kinds::text[], :subjects::text[], :amounts::bigint[], :received::bigint[]) as s`,
    {
      account,
      versions: spends.map(({ version }) => version),
      transactions: spends.map(({ transaction_id }) => transaction_id),
      kinds: spends.map(({ kind }) => kind),
      subjects: spends.map(({ subject_id }) => subject_id),
      amounts: spends.map(({ micros }) => micros),
      received: spends.map(({ parts }) => parts.reduce((sum, { received }) => sum + received, 0)),
    },
  );
  await addAllocations(tx, account, spends.flatMap(({ version, parts }) => parts.map((part) => ({ ...part, spend: version })))); // prettier-ignore
}

/** To what the spend already has of the lot. */
export async function addAllocations(tx: Knex, account: string, parts: readonly (Part & { spend: number })[]): Promise<void> {
  const some = parts.filter((part) => leftOf(part) !== 0);
  if (some.length === 0) return;
  await tx.raw(
    `insert into payout_allocations as a (account_id, spend_version, lot_version, received_micros, other_micros, lost_micros)
     select :account, p.spend, p.lot, sum(p.received), sum(p.other), sum(p.lost)
     from unnest(:spends::bigint[], :lots::bigint[], :received::bigint[], :other::bigint[], :lost::bigint[]) as p (spend, lot, received, other, lost) group by 2, 3
     on conflict (account_id, spend_version, lot_version) do update set received_micros = a.received_micros + excluded.received_micros,
       other_micros = a.other_micros + excluded.other_micros, lost_micros = a.lost_micros + excluded.lost_micros`,
    {
      account,
      spends: some.map(({ spend }) => spend),
      lots: some.map(({ version }) => version),
      received: some.map(({ received }) => received),
      other: some.map(({ other }) => other),
      lost: some.map(({ lost }) => lost),
    },
  );
}

/** After allocations of these spends changed: what of them was received follows, and their lines have to. */
export async function recountSpends(tx: Knex, account: string, spends: readonly number[]): Promise<void> {
  if (spends.length === 0) return;
  await tx.raw(
    `update payout_spends s set changed = true, received_micros = coalesce((
       select sum(a.received_micros) from payout_allocations a where a.account_id = s.account_id and a.spend_version = s.version
     ), 0) where s.account_id = :account and s.version = any (:spends::bigint[])`,
    { account, spends: [...new Set(spends)] },
  );
}
