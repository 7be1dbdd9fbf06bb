import type { Knex } from 'knex';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createPool } from '#db/pool.ts';
import { testDatabase } from '#test/support/servers.ts';
import { spanOf, traceConformance } from './conformance.ts';
import { postgresTraces } from './postgres.ts';

const since = new Date(0);
let db: Knex;
beforeAll(async () => void (db = createPool({ connectionString: (await testDatabase()).url })));
afterAll(() => db.destroy());

describe('the PostgreSQL store of spans', () => {
  traceConformance(() => postgresTraces(db));

  it('moves what came before its day was made into the partition of that day', async () => {
    const fresh = createPool({ connectionString: (await testDatabase()).url });
    const store = postgresTraces(fresh);
    store.add([spanOf()]);
    await store.flush();
    const partition = async () => (await fresh.raw<{ rows: { part: string }[] }>('select tableoid::regclass::text as part from spans')).rows[0]?.part;
    expect(await partition()).toBe('span_days.spans_default');
    await Promise.all([store.retain(new Date(), 30), store.retain(new Date(), 30)]);
    expect(await partition()).toBe(`span_days.spans_${new Date().toISOString().slice(0, 10).replaceAll('-', '_')}`);
    expect(await store.ofRuns(['run_1'], { since, limit: 10 })).toHaveLength(1);
    const plan = await fresh.raw<{ rows: unknown[] }>(`select indexrelid::regclass from pg_index where indrelid = (select tableoid from spans limit 1)`);
    expect(plan.rows).toHaveLength(1);
    await fresh.destroy();
  });

  it('what finds no room is lost, counted and said; the rest is written', async () => {
    const warn = vi.fn<() => void>();
    const store = postgresTraces(db, { log: { warn }, room: 3 });
    store.add([1, 2, 3, 4, 5].map((n) => spanOf({ run_id: 'run_full', span_id: String(n).repeat(16) })));
    expect(store.lost()).toBe(2);
    expect(warn).toHaveBeenCalledWith({ spans: 2, why: 'the buffer is full' }, expect.any(String));
    await store.flush();
    expect(await store.ofRuns(['run_full'], { since, limit: 10 })).toHaveLength(3);
    store.add([spanOf({ run_id: 'run_full', span_id: '6'.repeat(16) })]);
    await store.close();
    expect(await store.ofRuns(['run_full'], { since, limit: 10 })).toHaveLength(4);
  });

  it('spans that cannot be written are lost, and do not hold up those behind them', async () => {
    const warn = vi.fn<() => void>();
    const store = postgresTraces(db, { log: { warn } });
    store.add([spanOf({ run_id: 'run_bad', name: 'a \0 that jsonb refuses' })]);
    await store.flush();
    expect(store.lost()).toBe(1);
    expect(warn).toHaveBeenCalledTimes(1);
    store.add([spanOf({ run_id: 'run_good' })]);
    await store.flush();
    expect(await store.ofRuns(['run_bad', 'run_good'], { since, limit: 10 })).toMatchObject([{ run_id: 'run_good' }]);
    await store.close();
  });
});
