import type { Knex } from 'knex';
import { z } from 'zod';
import { type PaymentEvent, WebhookRefused, type WebhookRequest } from '../port.ts';
import type { TestMoney } from '../test-money.ts';
import { sign, verify } from './signature.ts';

const Event = z.object({
  id: z.string().max(100),
  type: z.string().max(100),
  at: z.int(),
  about: z.object({ kind: z.enum(['checkout', 'payment', 'subscription', 'invoice', 'connected_account', 'transfer']), id: z.string().max(100) }).optional(),
});

/** @throws WebhookRefused */
export async function readTestEvent(secret: Uint8Array, request: WebhookRequest): Promise<PaymentEvent> {
  verify(secret, request);
  try {
    const { about, ...event } = Event.parse(JSON.parse(request.raw.toString('utf8')));
    return { ...event, about };
  } catch {
    throw new WebhookRefused('content');
  }
}

const FIRST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 3_600_000;
const RETENTION_MS = 31 * 86_400_000;

type Deliveries = Pick<TestMoney, 'due' | 'delivered' | 'failed' | 'sweep'>;

export function deliveries(db: Knex, secret: () => Promise<Uint8Array>): Deliveries {
  return {
    async due(now, limit) {
      const rows = await db('test_money_events').where('next_at', '<=', new Date(now)).orderBy('next_at').limit(limit);
      const key = await secret();
      return rows.map((row) => {
        const about = { kind: row.subject_kind, id: row.subject_id };
        const raw = Buffer.from(JSON.stringify({ id: row.event_id, type: row.type, at: row.created_at.getTime(), about }));
        return { id: row.event_id, raw, signature: sign(key, raw, now) };
      });
    },
    async delivered(event_id) {
      await db('test_money_events').where({ event_id }).update({ next_at: null });
    },
    async failed(event_id, now) {
      const row = await db('test_money_events').where({ event_id }).whereNotNull('next_at').first('attempts');
      if (!row) return;
      const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** row.attempts);
      await db('test_money_events')
        .where({ event_id })
        .update({ attempts: row.attempts + 1, next_at: new Date(now + wait) });
    },
    async sweep(now) {
      const before = new Date(now - RETENTION_MS);
      await db('test_money_requests').where('created_at', '<', before).delete();
      await db('test_money_events').where('created_at', '<', before).whereNull('next_at').delete();
    },
  };
}
