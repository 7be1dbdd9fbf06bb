import type { Knex } from 'knex';
import type { ChargeOut } from '#contract/money/charges.ts';
import type { ChargeState } from '#contract/states.ts';
import { ChargedUnits } from '#contract/wire/receipt.ts';
import type { ChargesRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { newestPage } from '../../kernel/keyset.ts';
import type { Page } from '../../kernel/page.ts';
import { requireUser } from '../../kernel/policy.ts';

type ChargeView = ChargesRow & { agent: string | null };

interface ListIn {
  limit: number;
  cursor?: string | undefined;
  agent?: string | undefined;
  state?: ChargeState | undefined;
}

/** Newest first. */
export async function listCharges(ctx: Ctx, i: ListIn): Promise<Page<ChargeOut>> {
  const { user_id } = requireUser(ctx, 'charge.read');
  const query = selectCharges(ctx.db).where('c.payer_id', user_id);
  if (i.agent !== undefined) void query.where('a.name', i.agent);
  if (i.state !== undefined) void query.where('c.state', i.state);
  return newestPage(query, ['c.started_at', 'c.charge_id'], i, presentCharge);
}

function selectCharges(db: Knex): Knex.QueryBuilder<ChargeView, ChargeView[]> {
  return db('charges as c').leftJoin('agents as a', 'a.agent_id', 'c.agent_id').select('c.*', 'a.name as agent');
}

function presentCharge(row: ChargeView): ChargeOut {
  const { charge_id, agent, skill, run_id, receipt_id, price_id, state, free, held_micros } = row;
  return {
    charge_id,
    agent,
    skill,
    run_id,
    receipt_id,
    price_id,
    state,
    free,
    held_micros,
    amount_micros: state === 'held' ? null : (row.amount_micros ?? 0),
    units: row.units === null ? null : ChargedUnits.parse(row.units),
    started_at: row.started_at.toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null,
  };
}
