// What the processor for test money keeps: objects, the answers of writes by their keys, events to be
// delivered.
import { createHash, randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { PaymentsFailed, refusedBy, type Payment, type PlanPrice, type ProcessorInvoice, type ProcessorSubscription, type SubjectKind } from '../port.ts';
import type { BankPayout, ConnectedAccount, Transfer } from '../payouts-port.ts';
import type { CheckoutPage } from '../test-money.ts';

export interface Objects {
  customer: { id: string; accountId: string; email: string; cardDeclines: boolean };
  checkout: CheckoutPage & { plan: PlanPrice | null };
  payment: Payment & { accountId: string };
  subscription: ProcessorSubscription & { price: PlanPrice; accountId: string };
  invoice: ProcessorInvoice & { accountId: string };
  portal: { id: string; customerId: string; accountId: string; returnUrl: string; expiresAt: number };
  /** `bankPayout`: the newest; absent: none. */
  account: ConnectedAccount & { bankPayout?: BankPayout };
  transfer: Transfer;
}
export type ObjectKind = keyof Objects;

const PREFIX: Record<ObjectKind, string> = {
  customer: 'tcus',
  checkout: 'tchk',
  payment: 'tpay',
  subscription: 'tsub',
  invoice: 'tinv',
  portal: 'tprt',
  account: 'tacc',
  transfer: 'ttrf',
};

/** 128 random bits: who knows the id of a page was sent there. */
export function newObjectId(kind: ObjectKind): string {
  return `${PREFIX[kind]}_${randomBytes(16).toString('hex')}`;
}

export async function keep<K extends ObjectKind>(db: Knex, kind: K, ownerId: string, data: Objects[K], at: number): Promise<Objects[K]> {
  await db('test_money_objects').insert({ object_id: data.id, kind, owner_id: ownerId, data: JSON.stringify(data), created_at: new Date(at) });
  return data;
}

export async function change<K extends ObjectKind>(db: Knex, kind: K, data: Objects[K]): Promise<Objects[K]> {
  await db('test_money_objects')
    .where({ object_id: data.id, kind })
    .update({ data: JSON.stringify(data) });
  return data;
}

/** `lock`: until the transaction ends. @throws PaymentsFailed not_found */
export async function find<K extends ObjectKind>(db: Knex, kind: K, id: string, { lock = false } = {}): Promise<Objects[K]> {
  const query = db('test_money_objects').where({ object_id: id, kind });
  const row = await (lock ? query.forUpdate() : query).first('data');
  if (!row) throw new PaymentsFailed(`There is no ${kind} of this id`, { retry: false, code: 'not_found' });
  return dataOf(row.data);
}

export async function all<K extends ObjectKind>(db: Knex, kind: K, ownerId: string): Promise<Objects[K][]> {
  const rows = await db('test_money_objects').where({ kind, owner_id: ownerId }).orderBy('created_at', 'desc').orderBy('object_id').limit(100).select('data');
  return rows.map(({ data }) => dataOf<Objects[K]>(data));
}

// Safe: only `keep` and `change` write this column, with an object of the row's kind.
export function dataOf<T>(data: unknown): T {
  return data as T;
}

/**
 * What a write answered for this key before, or what `work` answers now. @throws PaymentsFailed where the key
 * came with another request
 */
export async function once<T extends object>(db: Knex, { key, ...request }: { key: string }, at: number, work: (tx: Knex) => Promise<T>): Promise<T> {
  const sha256 = createHash('sha256').update(JSON.stringify(request)).digest('hex');
  return db.transaction(async (tx) => {
    await tx.raw('select pg_advisory_xact_lock(hashtextextended(?, 7))', [key]);
    const before = await tx('test_money_requests').where({ key }).first('sha256', 'answer');
    if (before && before.sha256 !== sha256) throw refusedBy('idempotency_error', 'The key was used for another request');
    if (before) return dataOf<T>(before.answer);
    const answer = await work(tx);
    await tx('test_money_requests').insert({ key, sha256, answer: JSON.stringify(answer), created_at: new Date(at) });
    return answer;
  });
}

export async function emit(db: Knex, type: string, about: { kind: SubjectKind; id: string }, at: number): Promise<void> {
  const when = new Date(at);
  const event = { event_id: `tevt_${randomBytes(16).toString('hex')}`, type, subject_kind: about.kind, subject_id: about.id };
  await db('test_money_events').insert({ ...event, created_at: when, next_at: when });
}
