// Every release, taken to the present in one step: what its installation had is there, and what was under way
// goes on or ends as it is documented.
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { isSchema } from '#contract/kit.ts';
import { auditLedger } from '#core/money/ledger/audit-ledger.ts';
import { ENCRYPTED_COLUMNS } from '#core/platform/vault/encrypted-columns.ts';
import { createPool } from '#db/pool.ts';
import { openKeyFile } from '#drivers/vault/key-file.ts';
import { places } from '#stack/settings.ts';
import { verify } from '../chaos/verify.ts';
import { databaseUrl } from './database.ts';
import { readAs, readingRoutesByAddress } from './looks.ts';
import { MAX_BYTES } from './make.ts';
import { git } from './play.ts';
import { fixtures, readManifest, RELEASES, type Restored, restore } from './restored.ts';

/** Loops of the worker look every two minutes at the longest. */
const within = { timeout: 200_000, interval: 500 };

describe.each(await fixtures())('%s', (version) => {
  const folder = join(RELEASES, version);
  let r: Restored;
  beforeAll(async () => void (r = await restore(folder)));
  afterAll(() => r?.destroy());

  const rows = async <T extends object>(sql: string, values: unknown[] = []): Promise<T[]> => (await r.db.query<T>(sql, values)).rows;
  const runOf = async (agent: string, run_id: string): Promise<Record<string, unknown>> => {
    const response = await r.people.ada.api.agents.run({ params: { name: agent, run_id } });
    return z.record(z.string(), z.unknown()).parse(await response.json());
  };

  test('it is small, and of the version that its folder says', async () => {
    expect((await stat(join(folder, 'fixture.tar.zst'))).size).toBeLessThanOrEqual(MAX_BYTES);
    expect((await readManifest(folder)).version).toBe(version);
    expect(await readFile(join(RELEASES, 'README.md'), 'utf8')).toContain('disposable');
  });

  test('all rows are there', async () => {
    for (const [table, count] of Object.entries(r.manifest.rows)) {
      // What is older than its time goes; the rest may only grow. Tables of the past may have another name
      // today: then this says so.
      const [found] = await rows<{ n: number }>(`select count(*)::int as n from "${table}"`);
      if (count > 0 && !FLEETING.has(table)) expect(found?.n, table).toBeGreaterThanOrEqual(count);
    }
  });

  test('every receipt verifies with the published keys only, in an unbroken chain', async () => {
    const { keys } = await r.people.ada.api.public.receiptKeys();
    const receipts = await rows<{ token: string; agent_id: string; seq: string; payload_sha256: string; previous: string | null }>(
      `select token, agent_id, seq, payload_sha256, payload->>'previous_sha256' as previous from receipts order by agent_id, seq`,
    );
    expect(receipts.length).toBeGreaterThanOrEqual(r.manifest.receipts);
    const heads = new Map<string, string>();
    for (const { token, agent_id, seq, payload_sha256, previous } of receipts) {
      expect(await verify(token, keys), `receipt ${seq} of ${agent_id}`).toBe(true);
      expect(previous).toBe(heads.get(agent_id) ?? null);
      heads.set(agent_id, payload_sha256);
    }
  });

  test('the ledger sums to zero', async () => {
    const pool = createPool({ connectionString: databaseUrl(r.i.stateDir), max: 1 });
    try {
      expect(await auditLedger({ db: pool })).toEqual([]);
    } finally {
      await pool.destroy();
    }
    expect(await rows('select sum(amount_micros)::int as sum from ledger_entries')).toEqual([{ sum: 0 }]);
  });

  test('everything sealed opens, and says what was put there', async () => {
    const vault = await openKeyFile(join(places(r.i.stateDir).secrets, 'platform.key'));
    const opened: string[] = [];
    for (const { table, key, also = [], column, member, context } of ENCRYPTED_COLUMNS) {
      const value = member === undefined ? `"${column}"` : `"${column}"->>'${member}'`;
      const wanted = [...key, ...also].map((name) => `"${name}"`).join(', ');
      for (const row of await rows<Record<string, unknown>>(`select ${wanted}, ${value} as sealed from "${table}" where ${value} is not null`))
        opened.push(Buffer.from(await vault.open(String(row['sealed']), context(row))).toString());
    }
    for (const [name, value] of Object.entries(r.manifest.secrets))
      expect(
        opened.some((text) => text.includes(value)),
        name,
      ).toBe(true);
  });

  test('a clone has the commit of then', async () => {
    for (const [name, commit] of Object.entries(r.manifest.repositories)) {
      const { token } = await r.people.ada.api.sourceEditor.createToken({ params: { name }, body: { mode: 'read' } });
      const into = join(r.i.home, 'clones', name);
      await git(into, 'clone', '-q', `${r.i.baseUrl.replace('://', `://x:${token}@`)}/git/${name}.git`, '.');
      expect(await git(into, 'rev-parse', 'HEAD')).toBe(commit);
    }
  });

  test('a run whose machine is gone ends as host_lost: a receipt, no open wait; it can be run again, asks again and is answered', async () => {
    const { ada } = r.people;
    expect(r.manifest.waits.length).toBeGreaterThan(0);
    for (const { run_id, agent, wait_id } of [...r.manifest.waits, { ...r.manifest.running, wait_id: null }]) {
      const ended = await vi.waitFor(async () => {
        const run = await runOf(agent, run_id);
        expect(run).toMatchObject({ state: 'failed', error: { code: 'host_lost' } });
        return run;
      }, within);
      expect(await rows('select status from receipts where receipt_id = $1', [ended['receipt_id']])).toEqual([{ status: 'error' }]);
      if (wait_id !== null)
        await vi.waitFor(async () => expect(await rows('select state from waits where wait_id = $1', [wait_id])).toEqual([{ state: 'cancelled' }]), within);
    }
    await vi.waitFor(async () => {
      const [latest] = await ada.api.agents.deployments({ params: { name: 'harbour' } });
      expect(latest?.state).toBe('live');
    }, within);
    const [{ run_id, agent } = { run_id: '', agent: '' }] = r.manifest.waits;
    const { args } = await ada.api.traces.input({ params: { run_id } });
    const again = await ada.api.agents.startRun({ params: { name: agent, skill_name: 'ask' }, body: z.record(z.string(), z.unknown()).parse(args) });
    const wait = await vi.waitFor(async () => {
      const found = (await ada.api.inbox.waits({ query: {} })).items.find((one) => one.run_id === again.run_id);
      if (!found) throw new Error('nobody is asked yet');
      return found;
    }, within);
    await ada.api.chat.answerQuestion({ params: { question_id: wait.wait_id }, body: { answer: 'the long one' } });
    await vi.waitFor(async () => expect(await runOf(agent, again.run_id)).toMatchObject({ state: 'succeeded', result: { answer: 'the long one' } }), within);
  });

  test('a gate that waited is opened by its person, and the team ends its work', async () => {
    const { collectiveRuntime } = r.people.ada.api;
    const { gate } = r.manifest;
    await vi.waitFor(() => collectiveRuntime.approve({ params: gate, body: {} }), within);
    await vi.waitFor(async () => {
      const run = await collectiveRuntime.run({ params: gate });
      for (const { number } of run.gates) await collectiveRuntime.approve({ params: gate, body: { number } });
      expect(run.state).toBe('succeeded');
    }, within);
  });

  test('schedules fire again', async () => {
    const [often = ''] = r.manifest.schedules;
    const firings = () => rows<{ cause: string }>(`select cause from schedule_firings where schedule_id = $1 and started_at > $2`, [often, began]);
    const began = new Date();
    await vi.waitFor(async () => expect((await firings()).length).toBeGreaterThan(0), within);
  });

  test('what people read then, they read today, in the shape of today', async () => {
    const faults: string[] = [];
    const routeAt = readingRoutesByAddress();
    for (const { who, path } of r.manifest.reads) {
      const route = routeAt(path);
      const person = Object.values(r.people).find(({ name }) => name === who);
      const response = await readAs(r.i.baseUrl + path, person?.token ?? '');
      const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
      if (response.status !== 200 || !isJson) await response.body?.cancel();
      if (response.status === 404 && route && SHORT_LIVED.has(route.id)) continue;
      if (!route) faults.push(`${path}: no route is there any more`);
      if (response.status !== 200) faults.push(`${path}: ${response.status}`);
      else if (isJson) {
        const out = route?.spec.out;
        const read = out !== undefined && isSchema(out) ? z.safeParse(out, await response.json()) : undefined;
        if (read && !read.success) faults.push(`${path}: ${z.prettifyError(read.error)}`);
      }
    }
    expect(faults).toEqual([]);
  });
});

/** Rows that go on their own: leases, limits, what is handed on. */
const FLEETING: ReadonlySet<string> = new Set(['rate_limits', 'api_processes', 'outbox', 'open_workflows', 'one_time_codes', 'oidc_payload', 'open_calls', 'test_money_events', 'scored_contents', 'call_contents', 'protocol_tasks', 'task_pushes', 'push_messages', 'source_pushes', 'agent_failures', 'file_uploads', 'file_upload_parts', 'ledger_holds', 'llm_rates']); // prettier-ignore
/** Pages that are over an hour after they were opened, wherever their time is kept. */
const SHORT_LIVED: ReadonlySet<string> = new Set(['testMoney.portal']);
