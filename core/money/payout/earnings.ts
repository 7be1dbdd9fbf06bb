// What a creator made, was paid and is owed, over all their agents.
import type { EarningsOut } from '#contract/money/payouts.ts';
import type { PayoutLinesRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { requireUser } from '../../kernel/policy.ts';
import { setting } from '../../kernel/settings.ts';
import { CENT } from './states.ts';

const AGENTS = 500;
const RECENT = 50;
/**
 * SQL over payout_lines: what is made and not due; what a run sends now. A carry, or what came back, was a
 * line before, so it is not made again.
 */
const AGAIN = `('carry', 'returned')`;
const EARNED_SUM = `coalesce(sum(amount_micros) filter (where state <> 'cancelled' and kind not in ${AGAIN}), 0)::bigint`;
/** SQL over payout_transfers that were paid. */
export const SENT = `coalesce(sum(amount_micros - reversed_micros), 0)::bigint`;
export const ON_HOLD_SUM = `coalesce(sum(amount_micros) filter (where state in ('accrued', 'held')), 0)::bigint`;
const IN_RUN = `coalesce(sum(amount_micros) filter (where state = 'in_run'), 0)::bigint`;
const LINES = `count(*) filter (where kind in ('receipt', 'bounty') and state <> 'cancelled')::bigint`;

interface Sums {
  made_micros: number;
  held_micros: number;
  lines: number;
}

export async function earnings(ctx: Ctx): Promise<EarningsOut> {
  const { user_id } = requireUser(ctx, 'payout.read');
  const { db } = ctx;
  const all = await db.raw<{ rows: [Sums & { in_run_micros: number; paid_micros: number; all_micros: number }] }>(
    `select ${EARNED_SUM} as made_micros, ${ON_HOLD_SUM} as held_micros, ${IN_RUN} as in_run_micros, ${LINES} as lines,
            (select ${SENT} from payout_transfers where creator_id = :user_id and state = 'paid') as paid_micros,
            coalesce((select balance_micros from ledger_accounts where kind = 'earnings' and owner_id = :user_id), 0)::bigint as all_micros
     from payout_lines where creator_id = :user_id`,
    { user_id },
  );
  const [{ all_micros, ...sums }] = all.rows;
  const [agents, recent, minimum, hold_days] = await Promise.all([
    perAgent(ctx, user_id),
    db('payout_lines').where({ creator_id: user_id }).orderBy([{ column: 'at', order: 'desc' }, { column: 'line_id', order: 'desc' }]).limit(RECENT), // prettier-ignore
    setting(db, 'payout_minimum_cents'),
    setting(db, 'payout_hold_days'),
  ]);
  const owed_micros = sums.made_micros - sums.paid_micros - sums.held_micros;
  // What is on the account of the ledger and was not made of received money.
  const given_micros = Math.max(0, all_micros + sums.paid_micros - sums.made_micros);
  return { ...sums, owed_micros, given_micros, minimum_micros: minimum * CENT, hold_days, agents, recent: recent.map(presentLine) };
}

async function perAgent({ db }: Ctx, user_id: string): Promise<EarningsOut['agents']> {
  const { rows } = await db.raw<{ rows: (Sums & { agent: string | null; model_cost_micros: number })[] }>(
    `select l.agent, l.made_micros, l.held_micros, l.lines, coalesce(m.cost, 0)::bigint as model_cost_micros from (
       select agent_name as agent, ${EARNED_SUM} as made_micros, ${ON_HOLD_SUM} as held_micros, ${LINES} as lines
       from payout_lines where creator_id = :user_id and kind not in ${AGAIN} group by 1 order by 2 desc limit ${AGENTS}
     ) l left join (
       select agent_name as agent, sum(cost_micros) as cost from llm_usage where user_id = :user_id and agent_name is not null group by 1
     ) m using (agent) order by 2 desc, 1`,
    { user_id },
  );
  return rows.map((row) => ({ ...row, net_micros: Math.max(0, row.made_micros - row.model_cost_micros) }));
}

function presentLine(row: PayoutLinesRow): EarningsOut['recent'][number] {
  const { line_id, kind, state, agent_name, skill, receipt_id, charged_micros, received_micros, amount_micros, reason } = row;
  const times = { at: row.at.toISOString(), hold_until: row.hold_until?.toISOString() ?? null };
  return { line_id, kind, state, agent: agent_name, skill, receipt_id, charged_micros, received_micros, amount_micros, reason, ...times };
}
