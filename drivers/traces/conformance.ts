// What every store of spans must do. A driver's test calls this with a way to open an empty store.
import { expect, it } from 'vitest';
import type { StoredSpan, TraceStore } from './port.ts';

const YEAR_AGO = new Date(Date.now() - 365 * 86_400_000);

export function spanOf(more: Partial<StoredSpan> = {}): StoredSpan {
  return {
    run_id: 'run_1',
    trace_id: 'a'.repeat(32),
    span_id: 'b'.repeat(16),
    parent_id: null,
    owner_id: 'usr_1',
    agent_name: 'painter',
    source: 'agent',
    name: 'mix',
    kind: 'internal',
    start_ns: '1764084601123456789',
    end_ns: '1764084601123456999',
    status: 'ok',
    message: null,
    attributes: { colours: ['red', 7, true], deep: { a: null } },
    events: [{ name: 'stirred', at_ns: '1764084601123456790', attributes: { times: 3 } }],
    ...more,
  };
}

export function traceConformance(open: () => TraceStore): void {
  it('gives back what was added, to the nanosecond', async () => {
    const store = open();
    const span = spanOf({ parent_id: 'c'.repeat(16), status: 'error', message: 'dry', kind: 'client' });
    store.add([span]);
    await store.flush();
    expect(await store.ofRuns(['run_1'], { since: YEAR_AGO, limit: 10 })).toEqual([span]);
    expect(store.lost()).toBe(0);
    await store.close();
  });

  it('returns only spans of the requested runs, the oldest first, no more than requested', async () => {
    const store = open();
    const at = (span_id: string, start_ns: string, run_id: string) => spanOf({ span_id: span_id.repeat(16), start_ns, run_id });
    store.add([at('3', '30', 'run_a'), at('1', '10', 'run_a'), at('2', '20', 'run_b'), at('4', '40', 'run_c')]);
    await store.flush();
    const read = async (limit: number, ...runs: string[]) => (await store.ofRuns(runs, { since: YEAR_AGO, limit })).map(({ start_ns }) => start_ns);
    expect(await read(10, 'run_a', 'run_b')).toEqual(['10', '20', '30']);
    expect(await read(2, 'run_a', 'run_b')).toEqual(['10', '20']);
    expect(await read(10, 'run_d')).toEqual([]);
    expect(await store.ofRuns(['run_a'], { since: new Date(Date.now() + 60_000), limit: 10 })).toEqual([]);
    await store.close();
  });

  it('a run that says much leaves room for the others', async () => {
    const store = open();
    const many = Array.from({ length: 50 }, (_, n) => spanOf({ run_id: 'run_loud', span_id: String(n).padStart(16, '1'), start_ns: String(10 + n) }));
    store.add([...many, spanOf({ run_id: 'run_quiet', start_ns: '1000' })]);
    await store.flush();
    const read = await store.ofRuns(['run_loud', 'run_quiet'], { since: YEAR_AGO, limit: 10 });
    expect(read.map(({ start_ns }) => start_ns)).toEqual(['10', '11', '12', '13', '14', '15', '16', '17', '18', '1000']);
    await store.close();
  });

  it('a span that comes again is there once', async () => {
    const store = open();
    store.add([spanOf({ run_id: 'run_twice' })]);
    await store.flush();
    store.add([spanOf({ run_id: 'run_twice' })]);
    await store.flush();
    expect(await store.ofRuns(['run_twice'], { since: YEAR_AGO, limit: 10 })).toHaveLength(1);
    await store.close();
  });

  it('forgets what is older than it is to be kept, and nothing else', async () => {
    const store = open();
    store.add([spanOf({ run_id: 'run_kept' })]);
    await store.flush();
    const now = Date.now();
    await store.retain(new Date(now), 1);
    await store.retain(new Date(now + 1 * 86_400_000), 1);
    expect(await store.ofRuns(['run_kept'], { since: YEAR_AGO, limit: 10 })).toHaveLength(1);
    await store.retain(new Date(now + 3 * 86_400_000), 1);
    expect(await store.ofRuns(['run_kept'], { since: YEAR_AGO, limit: 10 })).toHaveLength(0);
    await store.close();
  });

  it('forgets nothing of the accounts that are to be kept', async () => {
    const store = open();
    store.add([spanOf({ run_id: 'run_held', owner_id: 'usr_held' }), spanOf({ run_id: 'run_other', owner_id: 'usr_other' })]);
    await store.flush();
    const later = new Date(Date.now() + 3 * 86_400_000);
    await store.retain(later, 1, ['usr_held']);
    const left = await store.ofRuns(['run_held', 'run_other'], { since: YEAR_AGO, limit: 10 });
    expect(left.map(({ run_id }) => run_id)).toEqual(['run_held']);
    await store.retain(later, 1);
    expect(await store.ofRuns(['run_held'], { since: YEAR_AGO, limit: 10 })).toEqual([]);
    await store.close();
  });
}
