// A price of Ada's agent, and charges of hers, for the pages that show them.
import { newId } from '#core/kernel/ids.ts';
import type { World } from '../api/world.ts';

export async function addMoneyRecords({ ctx, records }: World): Promise<void> {
  const { db } = ctx;
  const agent = await db('agents').where({ name: records['name'] ?? '' }).first('agent_id', 'owner_id'); // prettier-ignore
  if (!agent) throw new Error('the world has no agent');
  const { agent_id, owner_id } = agent;
  const at = (hours: number): Date => new Date(Date.now() - hours * 3_600_000);
  const rates = { second_micros: 1_000, token_micros: 0, artifact_micros: 0, free_calls: 5, agent_id, skill: 'greet' };
  const [before, now] = [newId('prc'), newId('prc')];
  await db('skill_prices').insert([
    { ...rates, price_id: before, version: 1, call_micros: 10_000, max_micros: 100_000, valid_from: at(90), valid_until: at(30), created_at: at(90) },
    { ...rates, price_id: now, version: 2, call_micros: 20_000, max_micros: 500_000, valid_from: at(30), valid_until: null, created_at: at(30) },
  ]);
  const charge = { agent_id, skill: 'greet', price_id: now, creator_id: newId('usr'), payer_id: owner_id, free: false, held_micros: 500_000 };
  const one = (hours: number) => ({ ...charge, charge_id: newId('chg'), run_id: newId('run'), started_at: at(hours) });
  const settled = { state: 'settled' as const, amount_micros: 24_000, creator_micros: 21_600, fee_micros: 2_400, units: '{"calls":1,"seconds":4,"tokens":0,"artifacts":0}' }; // prettier-ignore
  await db('charges').insert([
    { ...one(1), state: 'held' },
    { ...one(2), ...settled, ended_at: at(2) },
    { ...one(3), state: 'released', ended_at: at(3) },
    { ...one(4), ...settled, free: true, held_micros: 0, amount_micros: 0, creator_micros: 0, fee_micros: 0, ended_at: at(4) },
  ]);
}
