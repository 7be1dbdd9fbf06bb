import type { Knex } from 'knex';

/** The beginning and the end of a charge, each in one round trip: wallets are locked for as short as can be. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- By the price that is valid now; null where there is none. Otherwise that price, with whether the call is a free one.
    create function charge_begin(
      p_charge text, p_run text, p_agent text, p_skill text, p_creator text, p_payer text, p_person text, p_wallet text, p_hold text, p_at timestamptz, p_expires timestamptz
    ) returns jsonb language plpgsql as $$
    declare
      price skill_prices;
      is_free boolean := false;
    begin
      select * into price from skill_prices where agent_id = p_agent and skill = p_skill and valid_until is null;
      if not found then return null; end if;
      if price.free_calls > 0 then
        insert into free_calls (payer_id, agent_id, skill, used) values (p_payer, p_agent, p_skill, 1)
          on conflict (payer_id, agent_id, skill) do update set used = free_calls.used + 1 where free_calls.used < price.free_calls;
        is_free := found;
      end if;
      insert into charges (charge_id, run_id, agent_id, skill, price_id, creator_id, payer_id, person_id, state, free, held_micros, started_at)
        values (p_charge, p_run, p_agent, p_skill, price.price_id, p_creator, p_payer, p_person, 'held', is_free, case when is_free then 0 else price.max_micros end, p_at);
      if not is_free then
        perform ledger_hold(p_hold, 'run:' || p_run, p_wallet, price.max_micros, p_at, p_expires);
      end if;
      return to_jsonb(price) || jsonb_build_object('free', is_free);
    end $$;

    -- Once: a charge that has ended is an error.
    create function charge_settle(
      p_charge text, p_receipt text, p_amount bigint, p_creator bigint, p_fee bigint, p_units jsonb, p_at timestamptz,
      p_transaction text, p_refs jsonb, p_accounts text[], p_amounts bigint[]
    ) returns void language plpgsql as $$
    declare
      ended charges;
    begin
      update charges set state = 'settled', receipt_id = p_receipt, amount_micros = p_amount, creator_micros = p_creator, fee_micros = p_fee, units = p_units, ended_at = p_at
        where charge_id = p_charge and state = 'held' returning * into strict ended;
      if p_amount > 0 then
        perform ledger_settle('run:' || ended.run_id, p_transaction, 'charge:' || p_charge, 'charge', p_refs, p_at, p_accounts, p_amounts);
      elsif not ended.free then
        perform ledger_end_hold('run:' || ended.run_id, 'released', p_at);
      end if;
    end $$;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop function charge_begin, charge_settle');
}
