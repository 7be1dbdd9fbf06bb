// What the tables must say of money once a round is over, by what it would be.

/** SQL: what the processor for test money has of one kind. */
const at = (kind: string): string => `(select object_id as id, data from test_money_objects where kind = '${kind}')`;

export const moneyQueries: Record<string, string> = {
  'transactions that do not sum to zero': `select transaction_id as id from ledger_transactions left join ledger_entries using (transaction_id)
     group by 1 having coalesce(sum(amount_micros), -1) <> 0 or count(*) < 2`,
  'accounts whose entries have a gap': `select distinct account_id as id from (
       select account_id, version, balance_before, balance_after, amount_micros, lag(version, 1, 0::bigint) over w as last, lag(balance_after, 1, 0::bigint) over w as was
       from ledger_entries window w as (partition by account_id order by version)
     ) e where version <> last + 1 or balance_before <> was or balance_after <> balance_before + amount_micros`,
  'accounts with another balance than their entries': `select a.account_id as id from ledger_accounts a left join ledger_entries e using (account_id)
     group by a.account_id having a.balance_micros <> coalesce(sum(e.amount_micros), 0) or a.version <> count(e.version)`,
  'accounts with another hold than their holds': `select a.account_id as id from ledger_accounts a left join ledger_holds h on h.account_id = a.account_id and h.state = 'open'
     group by a.account_id having a.held_micros <> coalesce(sum(h.amount_micros), 0)`,
  'wallets below zero': `select account_id as id from ledger_accounts where kind in ('wallet', 'earnings', 'escrow') and (balance_micros < 0 or balance_micros < held_micros)`,
  'losses that are not what wallets owe': `select 'owed' as id from ledger_accounts having sum(owed_micros) <> -coalesce(sum(balance_micros) filter (where kind = 'losses'), 0)`,
  'holds that are open of calls that have ended': `select h.key as id from ledger_holds h where h.state = 'open'
     and not exists (select 1 from runs r where h.key = 'run:' || r.run_id and r.ended_at is null)`,
  'charges that are held of calls that have ended': `select c.charge_id as id from charges c where c.state = 'held' and not exists (select 1 from runs r where r.run_id = c.run_id and r.ended_at is null)`,
  'calls that were charged twice': `select run_id as id from charges group by run_id having count(*) > 1`,
  'charges that were not posted once': `select c.charge_id as id from charges c left join ledger_transactions t on t.kind = 'charge' and t.refs->>'charge_id' = c.charge_id
     group by c.charge_id having count(t.transaction_id) <> case when c.state = 'settled' and c.amount_micros > 0 then 1 else 0 end`,
  'charges that are another amount in the books': `select c.charge_id as id from charges c join ledger_transactions t on t.kind = 'charge' and t.refs->>'charge_id' = c.charge_id
     join ledger_entries e using (transaction_id) join ledger_accounts a using (account_id) group by c.charge_id
     having c.amount_micros <> -coalesce(sum(e.amount_micros) filter (where a.kind = 'wallet'), 0) or c.creator_micros <> coalesce(sum(e.amount_micros) filter (where a.kind = 'earnings'), 0)`,
  'charges that their receipt does not say': `select c.charge_id as id from charges c left join receipts r on r.receipt_id = c.receipt_id where c.state = 'settled'
     and (r.receipt_id is null or r.payload->'charge'->>'charge_id' is distinct from c.charge_id or (r.payload->'charge'->>'amount_micros')::bigint is distinct from c.amount_micros
       or (c.amount_micros > 0 and r.status <> 'ok'))`,
  'calls with a price that went well and cost nothing': `select r.run_id as id from receipts r join charges c using (run_id) where r.status = 'ok' and not c.free and coalesce(c.amount_micros, 0) = 0`,
  'top-ups that are not what the processor has': `select t.top_up_id as id from top_ups t left join ${at('payment')} p on p.data->>'reference' = t.top_up_id
     where (t.paid_at is null) <> (p.id is null) or (p.id is not null and (t.credited_micros <> (p.data->>'cents')::bigint * 10000 or t.taken_micros <> 10000 * least((p.data->>'cents')::bigint,
       (p.data->>'refundedCents')::bigint + coalesce((select sum((d->>'cents')::bigint) from jsonb_array_elements(p.data->'disputes') d where d->>'state' <> 'won'), 0))))`,
  'money from outside that is not what was paid in and kept': `select 'funding' as id from ledger_accounts where kind = 'funding'
     having -coalesce(sum(balance_micros), 0) <> (select coalesce(sum(credited_micros - taken_micros), 0) from top_ups)`,
  'payouts that the processor does not have as we do': `select t.transfer_id as id from payout_transfers t left join ${at('transfer')} p on p.data->>'reference' = t.transfer_id
     where t.state = 'paid' and (p.id is distinct from t.processor_id or (p.data->>'cents')::bigint * 10000 <> t.amount_micros or (p.data->>'reversedCents')::bigint * 10000 <> t.reversed_micros
       or p.data->>'destination' <> t.destination)`,
  'transfers at the processor that no payout is of': `select p.id from ${at('transfer')} p left join payout_transfers t on t.transfer_id = p.data->>'reference' and t.state = 'paid' and t.processor_id = p.id
     where t.transfer_id is null`,
  'payouts that were sent twice': `select data->>'reference' as id from ${at('transfer')} p group by 1 having count(*) > 1`,
  'payouts that were not posted once': `select t.transfer_id as id from payout_transfers t left join ledger_transactions x on x.kind = 'payout' and x.refs->>'transfer_id' = t.transfer_id
     group by t.transfer_id having count(x.transaction_id) <> case when t.state = 'paid' then 1 else 0 end`,
  'payouts whose lines are not what was sent': `select t.transfer_id as id from payout_transfers t left join payout_lines l using (transfer_id) where t.state = 'paid'
     group by t.transfer_id having count(l.line_id) <> t.lines or coalesce(sum(l.amount_micros), 0) <> t.lines_micros or bool_or(l.state <> 'paid')`,
  'payouts without a statement': `select transfer_id as id from payout_transfers where state = 'paid' and statement is null`,
  'lines in a run that is over': `select line_id as id from payout_lines l left join payout_transfers t using (transfer_id) where l.state = 'in_run' and t.state is distinct from 'pending'`,
  'runs that are over with a payout that is not': `select run_id as id from payout_runs join payout_transfers t using (run_id) where payout_runs.state = 'ended' and t.state = 'pending'`,
  'what came back and is not owed again once': `select t.transfer_id as id from payout_transfers t left join payout_lines l on l.of_transfer_id = t.transfer_id
     group by t.transfer_id having coalesce(sum(l.amount_micros), 0) <> t.reversed_micros`,
  'charges that earned another amount than the share of what was received': `select c.charge_id as id from charges c join payout_spends s on s.kind = 'charge' and s.subject_id = c.charge_id
     left join payout_lines l on l.account_id = s.account_id and l.spend_version = s.version and l.state <> 'cancelled'
     group by c.charge_id, s.received_micros having coalesce(sum(l.amount_micros), 0) <> div(c.creator_micros::numeric * s.received_micros, c.amount_micros)`,
  'creators of whom made is not sent and due': `select l.creator_id as id from payout_lines l where state <> 'cancelled' group by 1
     having coalesce(sum(amount_micros) filter (where kind not in ('carry', 'returned')), 0) <> coalesce(sum(amount_micros) filter (where state <> 'paid'), 0)
       + coalesce((select sum(t.amount_micros - t.reversed_micros) from payout_transfers t where t.creator_id = l.creator_id and t.state = 'paid'), 0)`,
  'payouts in the books that are not what was sent': `select 'payouts' as id from ledger_accounts where kind = 'payouts'
     having coalesce(sum(balance_micros), 0) <> (select coalesce(sum(amount_micros - reversed_micros), 0) from payout_transfers where state = 'paid')`,
  'creators who are owed more than their account has': `select l.creator_id as id from payout_lines l left join ledger_accounts a on a.kind = 'earnings' and a.owner_id = l.creator_id
     where l.state not in ('paid', 'cancelled') group by 1, a.balance_micros having sum(l.amount_micros) > coalesce(a.balance_micros, 0)`,
};
