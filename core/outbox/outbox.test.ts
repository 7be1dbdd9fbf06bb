// The outbox's promise: a committed message is sent at least once, whichever process dies; a rolled-back one
// is not sent.
import type { Knex } from 'knex';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPool } from '#db/pool.ts';
import type { WorkflowStarter } from '#drivers/workflows/port.ts';
import { testDatabase } from '#test/support/servers.ts';
import type { Ctx } from '../kernel/ctx.ts';
import { testCtx } from '#test/support/verbs.ts';
import { inTx } from '../kernel/tx.ts';
import { sweepOutbox } from './dispatch.ts';
import { cancelWorkflow, signalWorkflow, startWorkflow } from './messages.ts';

let db: Knex;
beforeAll(async () => void (db = createPool({ connectionString: (await testDatabase()).url, max: 20 })));
afterAll(() => db.destroy());

let sent: string[];
let down: boolean;
let ctx: Ctx;
/** Remembers what it was asked; refuses while it is down, as a server that cannot be reached does. */
const workflows: WorkflowStarter = {
  start: async (w) => note(`start ${w.workflowId} ${w.type} ${w.taskQueue} ${JSON.stringify(w.args)} ${JSON.stringify(w.searchAttributes)}`),
  signal: async (id, name, args) => note(`signal ${id} ${name} ${JSON.stringify(args)}`),
  update: async (id, name, updateId, args) => note(`update ${id} ${name} ${updateId} ${JSON.stringify(args)}`),
  cancel: async (id) => note(`cancel ${id}`),
  describe: async () => 'absent',
  brokenSince: async () => [],
  ping: async () => undefined,
  queue: async (name) => Promise.reject(new Error(`nobody asks for ${name}`)),
  forget: async () => 0,
};
function note(what: string): void {
  if (down) throw new Error('Temporal is down');
  sent.push(what);
}

beforeEach(async () => {
  await db('outbox').delete();
  sent = [];
  down = false;
  ctx = testCtx(db, { actor: { kind: 'platform', service: 'test' }, workflows });
});
const unsent = async () => db('outbox').whereNull('sent_at');
const signal = (id: string) => inTx(ctx, (ctx) => signalWorkflow(ctx, id, 'go', [1]));
/** Time that passes for the rows. */
const age = (seconds: number) =>
  db('outbox').update({ created_at: db.raw(`created_at - interval '${seconds} seconds'`), due_at: db.raw(`due_at - interval '${seconds} seconds'`) });

describe('the fast path', () => {
  it('sends right after the commit', async () => {
    await inTx(ctx, async (ctx) => {
      await startWorkflow(ctx, {
        workflowId: 'w',
        type: 'deployAgent',
        taskQueue: 'control',
        args: [{ id: 1 }],
        searchAttributes: { SvcKind: 'deploy', SvcOwner: 'usr_1' },
      });
      expect(sent).toEqual([]);
    });
    await expect.poll(() => sent).toEqual(['start w deployAgent control [{"id":1}] {"SvcKind":"deploy","SvcOwner":"usr_1"}']);
    await expect.poll(unsent).toEqual([]);
    expect(await sweepOutbox(ctx)).toBe(0);
  });

  it('sends nothing of a transaction that was rolled back', async () => {
    await expect(
      inTx(ctx, async (ctx) => {
        await cancelWorkflow(ctx, 'w');
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(await db('outbox')).toEqual([]);
    expect(sent).toEqual([]);
  });

  it('joins the transaction around it, and waits for that one', async () => {
    await inTx(ctx, async (ctx) => {
      await inTx(ctx, (ctx) => signalWorkflow(ctx, 'w', 'go'));
      expect(sent).toEqual([]);
    });
    await expect.poll(() => sent).toEqual(['signal w go []']);
  });
});

describe('what is for a workflow that has not started', () => {
  const start = () =>
    inTx(ctx, (ctx) =>
      startWorkflow(ctx, {
        workflowId: 'w',
        type: 'humanWait',
        taskQueue: 'control',
        args: [],
        searchAttributes: { SvcKind: 'wait', SvcOwner: 'usr_1' },
      }),
    );

  it('is sent right after its start, and was never sent before it', async () => {
    down = true;
    await start();
    await expect.poll(async () => (await unsent())[0]?.last_error).toBe('Temporal is down');
    down = false;
    await signal('w');
    await signal('other');
    await expect.poll(() => sent).toEqual(['signal other go [1]']);
    expect((await unsent()).map(({ kind, attempts }) => [kind, attempts]).toSorted()).toEqual([
      ['signal', 0],
      ['start', 1],
    ]);
    await age(3);
    expect(await sweepOutbox(ctx)).toBe(1);
    expect(sent.slice(1).map((one) => one.split(' ').slice(0, 2))).toEqual([
      ['start', 'w'],
      ['signal', 'w'],
    ]);
    expect(await unsent()).toEqual([]);
  });

  it('does not wait for a later start of the same name', async () => {
    await signal('w');
    await expect.poll(() => sent).toEqual(['signal w go [1]']);
    // It is noted after it was sent.
    await expect.poll(unsent).toEqual([]);
    await db('outbox').update({ sent_at: null, due_at: db.fn.now() });
    down = true;
    await start();
    await expect.poll(async () => (await unsent()).find(({ kind }) => kind === 'start')?.last_error).toBe('Temporal is down');
    down = false;
    await db('outbox')
      .where({ kind: 'signal' })
      .update({ created_at: db.raw(`created_at - interval '3 seconds'`) });
    expect(await sweepOutbox(ctx)).toBe(1);
    expect(sent).toEqual(['signal w go [1]', 'signal w go [1]']);
  });
});

describe('the sweeper', () => {
  it('sends what the fast path could not, and waits longer after every failure', async () => {
    down = true;
    await signal('w');
    await expect.poll(async () => (await unsent())[0]?.last_error).toBe('Temporal is down');
    down = false;
    expect(await sweepOutbox(ctx), 'not due yet').toBe(0);
    down = true;
    const waits: number[] = [];
    for (let n = 0; n < 8; n += 1) {
      await age(61);
      expect(await sweepOutbox(ctx)).toBe(1);
      const [row] = await db('outbox').select<{ wait: number }[]>(db.raw('round(extract(epoch from due_at - now()))::int as wait'));
      waits.push(row?.wait ?? 0);
    }
    expect(waits).toEqual([4, 8, 16, 32, 60, 60, 60, 60]);
    down = false;
    await age(61);
    await sweepOutbox(ctx);
    expect(sent).toEqual(['signal w go [1]']);
    expect(await unsent()).toEqual([]);
  });

  it('takes a row again whose sender died with it, when its lease has run out', async () => {
    const workflowsThatHang: WorkflowStarter = { ...workflows, signal: () => new Promise(() => undefined) };
    const dying = testCtx(db, { actor: ctx.actor, workflows: workflowsThatHang });
    await inTx(dying, (ctx) => signalWorkflow(ctx, 'w', 'go', [1]));
    await expect.poll(async () => (await unsent())[0]?.attempts).toBe(1);
    await age(10);
    expect(await sweepOutbox(ctx), 'the lease holds').toBe(0);
    await age(25);
    expect(await sweepOutbox(ctx)).toBe(1);
    expect(sent).toEqual(['signal w go [1]']);
  });

  it('is one of many: every row is sent once', async () => {
    await db('outbox').insert(
      Array.from({ length: 60 }, (_, n) => ({
        outbox_id: `out_${n}`,
        kind: 'cancel',
        workflow_id: `w${n}`,
        name: 'cancel',
        request_id: 'req',
        created_at: '2026-01-01',
        due_at: '2026-01-01',
      })),
    );
    const taken = await Promise.all(Array.from({ length: 6 }, () => sweepOutbox(ctx, 25)));
    expect(taken.reduce((sum, n) => sum + n, 0)).toBe(60);
    expect(sent).toHaveLength(60);
    expect(new Set(sent).size).toBe(60);
  });

  it('goes on after a row that cannot be sent', async () => {
    const rows = ['bad', 'good'].map((id) => ({
      outbox_id: id,
      kind: 'signal' as const,
      workflow_id: id,
      name: 'go',
      request_id: 'req',
      created_at: '2026-01-01',
      due_at: '2026-01-01',
    }));
    await db('outbox').insert(rows);
    const picky: WorkflowStarter = {
      ...workflows,
      signal: async (id, name, args) => (id === 'bad' ? Promise.reject(new Error('no such workflow')) : workflows.signal(id, name, args)),
    };
    await sweepOutbox(testCtx(db, { actor: ctx.actor, workflows: picky }));
    expect(sent).toEqual(['signal good go []']);
    expect((await unsent()).map((row) => row.last_error)).toEqual(['no such workflow']);
  });
});
