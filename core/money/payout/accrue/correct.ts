// Corrections: money that was taken back, spends that were undone, and what was paid after all. They change
// what earlier spends were paid with.
import type { Knex } from 'knex';
import type { Entry } from './entries.ts';
import { leftOf, type Lot, type Part, take, takeOf } from './lots.ts';
import { addAllocations, lotOf, openLots, putLots, putSpends, recountSpends } from './store.ts';

/** One entry of a wallet that isCorrection. */
export async function correct(tx: Knex, account: string, entry: Entry): Promise<void> {
  const { version, transaction_id, micros, losses } = entry;
  // What it pays was lost before, perhaps where the wallet had no entry.
  if (losses > 0) await readLosses(tx, account, entry);
  if (entry.kind === 'recovery') return payLosses(tx, account, entry);
  const source = entry.top_up ?? entry.reverses;
  if (micros < 0) {
    const lot = source === null ? undefined : await lotOf(tx, source);
    if (lot) await takeBack(tx, account, lot, -micros);
    else await spendOther(tx, account, entry);
    if (lot && losses < 0) await lose(tx, account, lot.version, -losses);
  } else if (!(await giveBack(tx, account, entry))) {
    const isReceived = entry.kind === 'top_up' || entry.kind === 'restore' || (entry.reverses !== null && (await isOfTopUp(tx, entry.reverses)));
    await putLots(tx, account, [{ version, transaction_id, received: isReceived ? micros : 0, other: isReceived ? 0 : micros, lost: 0 }]);
  }
  if (losses > 0) await restore(tx, account, losses);
}

async function spendOther(tx: Knex, account: string, { version, transaction_id, micros }: Entry): Promise<Part[]> {
  const lots = await openLots(tx, account, -micros);
  const parts = take(lots, -micros);
  await putSpends(tx, account, [{ version, transaction_id, kind: 'other', subject_id: null, micros: -micros, parts }]);
  await putLots(tx, account, lots);
  return parts;
}

/**
 * The wallet pays what was lost. As far as that is received money, the lost payment is covered; free credits
 * pay no creator.
 */
async function payLosses(tx: Knex, account: string, entry: Entry): Promise<void> {
  const lots = await openLots(tx, account, -entry.micros);
  const parts = take(lots, -entry.micros);
  await putLots(tx, account, lots);
  await restore(tx, account, parts.reduce((sum, { received }) => sum + received, 0)); // prettier-ignore
}

/** Losses of this wallet up to the entry's own, where they were not read yet. */
async function readLosses(tx: Knex, account: string, { losses_account, losses_version }: Entry): Promise<void> {
  const { rows } = await tx.raw<{ rows: { version: number; micros: number; lot: number }[] }>(
    `select e.version, e.amount_micros as micros, l.version as lot
     from ledger_entries e join ledger_transactions t using (transaction_id)
     left join ledger_transactions o on t.kind in ('refund', 'restore') and o.key = 'top_up:' || (t.refs->>'top_up_id')
     join payout_lots l on l.transaction_id = coalesce(o.transaction_id, t.reverses)
     where e.account_id = :losses_account and e.version < :losses_version and l.account_id = :account
       and e.version > coalesce((select version from payout_places where account_id = :losses_account), 0)
       and not exists (select 1 from payout_losses_read r where r.account_id = e.account_id and r.version = e.version)
       and not exists (select 1 from ledger_entries w where w.transaction_id = e.transaction_id and w.account_id = :account)
     order by e.version`,
    { account, losses_account, losses_version },
  );
  for (const { version, micros, lot } of rows) {
    await readLoss(tx, account, lot, micros);
    await tx('payout_losses_read').insert({ account_id: losses_account ?? '', version });
  }
}

/** Of a transaction without an entry of the wallet. */
export async function readLoss(tx: Knex, account: string, lot: number, micros: number): Promise<void> {
  if (micros < 0) await lose(tx, account, lot, -micros);
  else await restore(tx, account, micros);
}

/**
 * What came with this lot left the wallet again. What is left of the lot goes first; for the rest other lots
 * pay, oldest first, what this lot had paid for, its newest spends first.
 */
async function takeBack(tx: Knex, account: string, lot: Lot, micros: number): Promise<void> {
  const own = leftOf(takeOf(lot, micros));
  const rest = micros - own;
  const others = await openLots(tx, account, rest, lot.version);
  const replacing = take(others, rest);
  await putLots(tx, account, [lot, ...others]);
  if (rest === 0) return;
  const changes: (Part & { spend: number })[] = [];
  let missing = rest;
  for (const paid of await newestPaid(tx, account, lot.version, rest)) {
    const out = takeOf(paid, missing);
    const amount = leftOf(out);
    changes.push({ spend: paid.spend, version: lot.version, received: -out.received, other: -out.other, lost: -out.lost });
    for (const part of take(replacing, amount)) changes.push({ ...part, spend: paid.spend });
    missing -= amount;
  }
  await changeAllocations(tx, account, changes);
}

/**
 * Received money of this lot was taken back, and no balance covered it: what is left of the lot says so
 * first, then its newest spends.
 */
async function lose(tx: Knex, account: string, lotVersion: number, micros: number): Promise<void> {
  const row = await tx('payout_lots').where({ account_id: account, version: lotVersion }).first('received_left');
  const left = Math.min(row?.received_left ?? 0, micros);
  if (left > 0)
    await tx.raw(
      `update payout_lots set received_left = received_left - :left, other_left = other_left + :left, lost_left = lost_left + :left
       where account_id = :account and version = :lotVersion`,
      { left, account, lotVersion },
    );
  const changes: (Part & { spend: number })[] = [];
  let missing = micros - left;
  for (const paid of await newestPaid(tx, account, lotVersion, missing, 'received_micros')) {
    const lost = Math.min(paid.received, missing);
    changes.push({ spend: paid.spend, version: lotVersion, received: -lost, other: lost, lost });
    missing -= lost;
  }
  await changeAllocations(tx, account, changes);
}

/** Of what was lost, `micros` were paid after all: the oldest spends first. */
async function restore(tx: Knex, account: string, micros: number): Promise<void> {
  if (micros === 0) return;
  const { rows } = await tx.raw<{ rows: { spend: number; version: number; lost: number }[] }>(
    `select spend_version as spend, lot_version as version, lost_micros as lost from (
       select a.*, (sum(lost_micros) over (order by spend_version, lot_version) - lost_micros) as before
       from payout_allocations a where account_id = :account and lost_micros > 0
     ) a where before < :micros order by 1, 2`,
    { account, micros },
  );
  let missing = micros;
  const changes = rows.map(({ spend, version, lost }) => {
    const back = Math.min(lost, missing);
    missing -= back;
    return { spend, version, received: back, other: -back, lost: -back };
  });
  await changeAllocations(tx, account, changes);
  if (missing > 0) await restoreLots(tx, account, missing);
}

async function restoreLots(tx: Knex, account: string, micros: number): Promise<void> {
  await tx.raw(
    `update payout_lots l set received_left = received_left + n.back, other_left = other_left - n.back, lost_left = lost_left - n.back from (
       select version, least(lost_left, :micros - before) as back from (
         select version, lost_left, (sum(lost_left) over (order by version) - lost_left) as before from payout_lots where account_id = :account and lost_left > 0
       ) o where before < :micros
     ) n where l.account_id = :account and l.version = n.version`,
    { account, micros },
  );
}

/** The spend that this entry undoes gets its parts back into their lots. False: it undoes none. */
async function giveBack(tx: Knex, account: string, { reverses }: Entry): Promise<boolean> {
  const spend = reverses === null ? undefined : await tx('payout_spends').where({ transaction_id: reverses, account_id: account }).first('version');
  if (!spend) return false;
  await tx.raw(
    `update payout_lots l set received_left = received_left + a.received_micros, other_left = other_left + a.other_micros, lost_left = lost_left + a.lost_micros
     from payout_allocations a where a.account_id = :account and a.spend_version = :spend and l.account_id = :account and l.version = a.lot_version`,
    { account, spend: spend.version },
  );
  await tx('payout_allocations').where({ account_id: account, spend_version: spend.version }).del();
  await recountSpends(tx, account, [spend.version]);
  return true;
}

/** A top-up, or what took one back and was itself undone. */
async function isOfTopUp(tx: Knex, transactionId: string): Promise<boolean> {
  const row = await tx('ledger_transactions').where({ transaction_id: transactionId }).first('kind', 'reverses');
  if (row?.kind === 'reversal' && row.reverses !== null) return isOfTopUp(tx, row.reverses);
  return row?.kind === 'top_up';
}

type Paid = Lot & { spend: number };

/** What the lot paid, newest spends first, until they cover `micros`. */
async function newestPaid(tx: Knex, account: string, lot: number, micros: number, of = 'received_micros + other_micros'): Promise<Paid[]> {
  if (micros <= 0) return [];
  const { rows } = await tx.raw<{ rows: Paid[] }>(
    `select lot_version as version, spend_version as spend, received_micros as received, other_micros as other, lost_micros as lost from (
       select a.*, (sum(${of}) over (order by spend_version desc) - (${of})) as before from payout_allocations a
       where account_id = :account and lot_version = :lot and ${of} > 0
     ) a where before < :micros order by spend_version desc`,
    { account, lot, micros },
  );
  return rows;
}

async function changeAllocations(tx: Knex, account: string, changes: readonly (Part & { spend: number })[]): Promise<void> {
  if (changes.length === 0) return;
  const known = changes.filter(({ received, other }) => received < 0 || other < 0);
  const added = changes.filter(({ received, other }) => received >= 0 && other >= 0);
  await tx.raw(
    `update payout_allocations a set received_micros = received_micros + n.received, other_micros = other_micros + n.other, lost_micros = lost_micros + n.lost
     from unnest(:spends::bigint[], :lots::bigint[], :received::bigint[], :other::bigint[], :lost::bigint[]) as n (spend, lot, received, other, lost)
     where a.account_id = :account and a.spend_version = n.spend and a.lot_version = n.lot`,
    {
      account,
      spends: known.map(({ spend }) => spend),
      lots: known.map(({ version }) => version),
      received: known.map(({ received }) => received),
      other: known.map(({ other }) => other),
      lost: known.map(({ lost }) => lost),
    },
  );
  await addAllocations(tx, account, added);
  await recountSpends(tx, account, changes.map(({ spend }) => spend)); // prettier-ignore
}
