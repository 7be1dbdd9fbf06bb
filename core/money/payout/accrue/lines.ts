// Lines of spends that changed. A line's amount is the creator's share of what was received, rounded down to
// a micro-credit.
import type { Knex } from 'knex';
import { newId } from '../../../kernel/ids.ts';

/** SQL: the creator's share of `received` of what was charged. */
const share = (of: string, received: string): string => `div(${of}.creator_micros::numeric * ${received}, ${of}.charged_micros)::bigint`;

/**
 * SQL: two accounts are the same, or in one organization, or one is an organization of the other: such calls
 * earn nothing. An invited user is not a member yet.
 */
function related(one: string, other: string): string {
  const circle = (account: string): string =>
    `(select ${account} as circle union all select organization_id from organization_members where user_id = ${account})`;
  return `exists (select 1 from ${circle(one)} x join ${circle(other)} y using (circle))`;
}

/** What a line was paid or is due is never changed: a difference is a line of its own. */
const IN_PLACE = `l.state in ('accrued', 'held', 'owed', 'failed', 'cancelled') and not exists (select 1 from payout_lines x where x.of_line_id = l.line_id)`;

/** Brings lines of the wallet up to what its spends say. */
export async function writeLines(tx: Knex, account: string, now: Date): Promise<void> {
  await tx.raw(
    `insert into payout_lines (line_id, kind, state, creator_id, charge_id, account_id, spend_version, agent_id, agent_name, skill, price_version,
                               charged_micros, creator_micros, received_micros, amount_micros, at, created_at)
     select 'pol_' || split_part(c.charge_id, '_', 2), 'receipt', 'accrued', c.creator_id, c.charge_id, s.account_id, s.version, c.agent_id, a.name, c.skill, p.version,
            c.amount_micros, c.creator_micros, s.received_micros, div(c.creator_micros::numeric * s.received_micros, c.amount_micros)::bigint, c.ended_at, :now
     from payout_spends s join charges c on c.charge_id = s.subject_id left join agents a on a.agent_id = c.agent_id left join skill_prices p on p.price_id = c.price_id
     where s.account_id = :account and s.changed and s.kind = 'charge' and s.received_micros > 0 and c.creator_micros > 0
       and not ${related('c.creator_id', 'c.payer_id')}
     on conflict do nothing`,
    { account, now },
  );
  await tx.raw(
    `update payout_lines l set received_micros = s.received_micros, amount_micros = ${share('l', 's.received_micros')},
            state = case when s.received_micros = 0 then 'cancelled' when l.state = 'cancelled' then 'accrued' else l.state end,
            reason = case when s.received_micros = 0 then 'reversed' end
     from payout_spends s
     where s.account_id = :account and s.changed and l.account_id = s.account_id and l.spend_version = s.version and l.kind in ('receipt', 'bounty')
       and l.received_micros <> s.received_micros and l.reason is distinct from 'not_ok' and ${IN_PLACE}`,
    { account },
  );
  await adjust(tx, account, now);
  await tx('payout_spends').where({ account_id: account, changed: true }).update({ changed: false });
}

/**
 * Lines that are in a run or were paid keep what they say; a further line has the difference, and the next
 * transfer counts it.
 */
async function adjust(tx: Knex, account: string, now: Date): Promise<void> {
  const { rows } = await tx.raw<{ rows: { line_id: string; delta: number; received: number }[] }>(
    `select * from (
       select l.line_id, s.received_micros as received,
              (${share('l', 's.received_micros')} - l.amount_micros - coalesce((select sum(x.amount_micros) from payout_lines x where x.of_line_id = l.line_id), 0))::bigint as delta
       from payout_spends s join payout_lines l on l.account_id = s.account_id and l.spend_version = s.version and l.kind in ('receipt', 'bounty')
       where s.account_id = :account and s.changed and l.reason is distinct from 'not_ok' and not (${IN_PLACE})
     ) d where delta <> 0`,
    { account },
  );
  if (rows.length === 0) return;
  await tx.raw(
    `insert into payout_lines (line_id, kind, state, creator_id, of_line_id, account_id, spend_version, agent_id, agent_name, skill, price_version, receipt_id, receipt_sha256,
                               charged_micros, creator_micros, received_micros, amount_micros, reason, at, hold_until, created_at)
     select n.id, 'adjustment', 'owed', l.creator_id, l.line_id, l.account_id, l.spend_version, l.agent_id, l.agent_name, l.skill, l.price_version, l.receipt_id, l.receipt_sha256,
            l.charged_micros, l.creator_micros, n.received, n.delta, case when n.delta < 0 then 'reversed' else 'restored' end, :now, null, :now
     from unnest(:ids::text[], :lines::text[], :received::bigint[], :deltas::bigint[]) as n (id, line_id, received, delta) join payout_lines l using (line_id)`,
    {
      now,
      ids: rows.map(() => newId('pol', now.getTime())),
      lines: rows.map(({ line_id }) => line_id),
      received: rows.map(({ received }) => received),
      deltas: rows.map(({ delta }) => delta),
    },
  );
}

/** A reward that was paid is a line, with as much of it as its poster had received. */
export async function writeRewards(tx: Knex, now: Date): Promise<void> {
  await tx.raw(
    `insert into payout_lines (line_id, kind, state, creator_id, bounty_id, account_id, spend_version, charged_micros, creator_micros, received_micros, amount_micros, at, created_at)
     select 'pol_' || split_part(s.subject_id, '_', 2), 'bounty', 'accrued', e.owner_id, s.subject_id, s.account_id, s.version,
            s.amount_micros, s.amount_micros, s.received_micros, s.received_micros, t.created_at, :now
     from payout_spends s
     join ledger_accounts w on w.account_id = s.account_id
     join ledger_transactions t on t.key = 'bounty:' || s.subject_id || ':fulfilled'
     join ledger_entries f on f.transaction_id = t.transaction_id join ledger_accounts e on e.account_id = f.account_id and e.kind = 'earnings'
     where s.kind = 'reward' and s.received_micros > 0 and not ${related('e.owner_id', 'w.owner_id')}
       and not exists (select 1 from payout_lines l where l.bounty_id = s.subject_id)
     on conflict do nothing`,
    { now },
  );
}
