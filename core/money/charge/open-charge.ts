// A charge as its call ends.
import type { LivePrice } from '../../agents/route/live-prices.ts';

export interface OpenCharge {
  charge_id: string;
  run_id: string;
  agent_id: string;
  skill: string;
  price_id: string;
  creator_id: string;
  payer_id: string;
  free: boolean;
  held_micros: number;
  cap_ids: string[];
  /** null: the account of the agent's owner was purged. */
  price: LivePrice | null;
  /** What was held for it is still set aside. */
  covered: boolean;
}

/** SQL: the charge of the run `:runId` that has not ended, locked, as one JSON object. */
export const OPEN_CHARGE = `select jsonb_build_object(
    'charge_id', c.charge_id, 'run_id', c.run_id, 'agent_id', c.agent_id, 'skill', c.skill, 'price_id', c.price_id, 'creator_id', c.creator_id,
    'payer_id', c.payer_id, 'free', c.free, 'held_micros', c.held_micros, 'cap_ids', c.cap_ids, 'price', to_jsonb(p),
    'covered', exists (select 1 from ledger_holds h where h.key = 'run:' || c.run_id and h.state = 'open')) as charge
  from charges c left join skill_prices p on p.price_id = c.price_id where c.run_id = :runId and c.state = 'held' for update of c`;
