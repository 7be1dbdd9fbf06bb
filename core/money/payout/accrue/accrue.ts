// Reads wallets on from where each was left: which money paid for which charge, and from that the lines of
// payouts. A place is stored in the transaction that stores what was read up to it, so a crash, or a second
// worker, reads nothing twice.
import type { Knex } from 'knex';
import { system } from '../../../kernel/act.ts';
import type { Ctx } from '../../../kernel/ctx.ts';
import { correct, readLoss } from './correct.ts';
import { type Entry, entriesAfter, isCorrection } from './entries.ts';
import { writeLines, writeRewards } from './lines.ts';
import { type Lot, take } from './lots.ts';
import { openLots, putLots, putSpends, type Spend } from './store.ts';

const WALLETS = 500;
const BATCH = 2_000;

/** `onBatch` is called after each step. */
export async function accrue(ctx: Ctx, onBatch: () => void = () => undefined): Promise<void> {
  for (let accounts = await behind(ctx.db, 'wallet'); accounts.length > 0; accounts = await behind(ctx.db, 'wallet')) {
    let advanced = false;
    for (const account of accounts)
      while (await accrueNext(ctx, account)) {
        advanced = true;
        onBatch();
      }
    // Those that are left are read by another worker.
    if (!advanced) break;
  }
  for (const account of await behind(ctx.db, 'losses')) while (await accrueLoss(ctx, account)) onBatch();
  await system(ctx, (ctx) => writeRewards(ctx.db, new Date(ctx.clock())));
}

async function behind(db: Knex, kind: 'wallet' | 'losses'): Promise<string[]> {
  const rows = await db('ledger_accounts as a')
    .leftJoin('payout_places as p', 'p.account_id', 'a.account_id')
    .where({ 'a.kind': kind })
    .whereRaw('a.version > coalesce(p.version, 0)')
    .limit(WALLETS)
    .select('a.account_id');
  return rows.map(({ account_id }) => account_id);
}

/** False: all is read, or another worker reads it. */
function accrueNext(ctx: Ctx, account: string): Promise<boolean> {
  return step(ctx, account, async (tx, version) => {
    const entries = await entriesAfter(tx, account, version, BATCH);
    const end = entries.findIndex(isCorrection);
    const plain = end === -1 ? entries : entries.slice(0, end);
    const [correction] = entries;
    if (plain.length > 0) await spend(tx, account, plain);
    else if (correction) await correct(tx, account, correction);
    else return undefined;
    await writeLines(tx, account, new Date(ctx.clock()));
    return plain.at(-1)?.version ?? correction?.version;
  });
}

async function spend(tx: Knex, account: string, entries: readonly Entry[]): Promise<void> {
  const out = entries.reduce((sum, { micros }) => sum + Math.max(0, -micros), 0);
  const lots: (Lot & { transaction_id?: string })[] = await openLots(tx, account, out);
  const spends: Spend[] = [];
  for (const { version, transaction_id, micros, kind, charge_id, bounty_id } of entries) {
    const isReceived = kind === 'top_up';
    if (micros > 0) lots.push({ version, transaction_id, received: isReceived ? micros : 0, other: isReceived ? 0 : micros, lost: 0 });
    else {
      const subject = charge_id ?? bounty_id;
      const of = subject === null ? ('other' as const) : charge_id === null ? ('reward' as const) : ('charge' as const);
      spends.push({ version, transaction_id, kind: of, subject_id: subject, micros: -micros, parts: take(lots, -micros) });
    }
  }
  await putLots(tx, account, lots);
  await putSpends(tx, account, spends);
}

/**
 * Money that was taken back of a wallet that had nothing left has no entry there: the account `losses` has
 * it.
 */
function accrueLoss(ctx: Ctx, account: string): Promise<boolean> {
  return step(ctx, account, async (tx, version) => {
    const entry = await lossAfter(tx, account, version);
    if (!entry || entry.is_unread) return undefined;
    if (entry.is_done || entry.wallet === null || entry.lot === null) return entry.version;
    await tx('payout_places').where({ account_id: entry.wallet }).forUpdate().first('version');
    const isRead = await tx('payout_losses_read').where({ account_id: account, version: entry.version }).first('version');
    if (isRead) return entry.version;
    await readLoss(tx, entry.wallet, entry.lot, entry.micros);
    await writeLines(tx, entry.wallet, new Date(ctx.clock()));
    return entry.version;
  });
}

interface Loss {
  version: number;
  micros: number;
  /** With its wallet, or out of turn. */
  is_done: boolean;
  wallet: string | null;
  lot: number | null;
  /** What it takes back was not read yet. */
  is_unread: boolean;
}

async function lossAfter(tx: Knex, account: string, version: number): Promise<Loss | undefined> {
  const { rows } = await tx.raw<{ rows: Loss[] }>(
    `select e.version, e.amount_micros as micros, l.account_id as wallet, l.version as lot,
            l.version is null and coalesce(o.transaction_id, t.reverses) is not null as is_unread,
            exists (select 1 from ledger_entries n join ledger_accounts a using (account_id) where n.transaction_id = e.transaction_id and a.kind = 'wallet')
              or exists (select 1 from payout_losses_read r where r.account_id = e.account_id and r.version = e.version) as is_done
     from ledger_entries e join ledger_transactions t using (transaction_id)
     left join ledger_transactions o on t.kind in ('refund', 'restore') and o.key = 'top_up:' || (t.refs->>'top_up_id')
     left join payout_lots l on l.transaction_id = coalesce(o.transaction_id, t.reverses)
     where e.account_id = :account and e.version > :version order by e.version limit 1`,
    { account, version },
  );
  return rows[0];
}

/** @param work resolves with the version up to which it has read; undefined: nothing */
function step(ctx: Ctx, account_id: string, work: (tx: Knex.Transaction, version: number) => Promise<number | undefined>): Promise<boolean> {
  return system(ctx, async (ctx) => {
    await ctx.db('payout_places').insert({ account_id, version: 0 }).onConflict('account_id').ignore();
    const place = await ctx.db('payout_places').where({ account_id }).forUpdate().skipLocked().first('version');
    const version = place && (await work(ctx.db, place.version));
    if (version === undefined) return false;
    await ctx.db('payout_places').where({ account_id }).update({ version });
    return true;
  });
}
