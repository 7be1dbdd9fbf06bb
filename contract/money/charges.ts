// Charges: what calls of skills with a price cost who paid for them.
import { z } from 'zod';
import { svcGroup } from '../kit.ts';
import { AgentSlug } from '../wire/names.ts';
import { Instant, nextCursor, pageQuery } from '../shared.ts';
import { CHARGE_STATES } from '../states.ts';
import { ChargedUnits } from '../wire/receipt.ts';

export const ChargeOut = z
  .strictObject({
    charge_id: z.string(),
    agent: z.string().nullable().meta({ description: 'null: its account is gone.' }),
    skill: z.string(),
    run_id: z.string(),
    receipt_id: z.string().nullable().meta({ description: 'Its member charge says the same. null: none is sealed yet, or there was none.' }),
    price_id: z.string(),
    state: z.enum(CHARGE_STATES).meta({ description: 'held: the call is under way; settled: it went well; released: it did not, and cost nothing.' }),
    free: z.boolean().meta({ description: 'A call of the free trial.' }),
    held_micros: z.int().min(0).meta({ description: 'Micro-credits that were set aside when it began: the most that it could cost.' }),
    amount_micros: z.int().min(0).nullable().meta({ description: 'What it cost; null while it is held.' }),
    units: ChargedUnits.nullable().meta({ description: 'What was counted; null where nothing was.' }),
    started_at: Instant,
    ended_at: Instant.nullable(),
  })
  .meta({ id: 'ChargeOut' });
export type ChargeOut = z.infer<typeof ChargeOut>;

const ChargeListOut = z.strictObject({ items: z.array(ChargeOut), next_cursor: nextCursor }).meta({ id: 'ChargeListOut' });

export const charges = svcGroup({
  list: {
    at: 'GET /v1/me/charges',
    summary: 'List what you paid for calls of skills with a price, newest first',
    scope: 'account',
    query: pageQuery(50, 200).extend({ agent: AgentSlug.optional(), state: z.enum(CHARGE_STATES).optional() }),
    out: ChargeListOut,
    errors: [400, 401, 403],
  },
});
