// Random histories of money against a model in which each unit is a thing of its own: what was received for which charge, who is paid what, and nobody twice.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../kernel/ids.ts';
import { forgetSettings } from '../../kernel/settings.ts';
import { auditLedger } from '../ledger/audit-ledger.ts';
import { reverse } from '../ledger/post.ts';
import { testContext, type TestContext } from '#test/support/context.ts';
import { testProcessor } from '#test/support/processor.ts';
import { addAgent, addUser, type TestAgent } from '#test/support/verbs.ts';
import { accrue } from './accrue/accrue.ts';
import { moveLines } from './advance.ts';
import { endRun, payNext } from './run/next.ts';
import { takeDue } from './run/take.ts';
import { balanceOf, charge, fund, recover, refund, restore } from './test/money.ts';
import { Tokens } from './test/tokens.ts';

let t: TestContext;
let processor: ReturnType<typeof testProcessor>;
beforeAll(async () => {
  t = await testContext();
  processor = testProcessor();
  t.ctx.drivers.payments = processor.payments;
  await t.ctx.db('platform_settings').insert([{ key: 'payout_minimum_cents', value: 1 }, { key: 'payout_hold_days', value: 0 }]); // prettier-ignore
  forgetSettings(t.ctx.db);
});
afterAll(() => t.close());

/** Half a cent: transfers leave something. */
const UNIT = 5_000;

const kinds = [
  'topUp',
  'topUp',
  'gift',
  'charge',
  'charge',
  'charge',
  'charge',
  'refund',
  'refund',
  'won',
  'recover',
  'undo',
  'accrue',
  'settle',
  'settleBroken',
] as const;
const step = fc.record({
  kind: fc.constantFrom(...kinds),
  who: fc.nat(1),
  to: fc.nat(1),
  count: fc.integer({ min: 1, max: 12 }),
  share: fc.nat(100),
  which: fc.nat(9),
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

interface Made {
  who: number;
  creator: string;
  key: string;
  bought: ReturnType<Tokens['spend']>;
  micros: number;
  share: number;
  charge_id: string;
}

class World {
  readonly payers: string[] = [];
  readonly creators: string[] = [];
  readonly agents: TestAgent[] = [];
  readonly models = [new Tokens(), new Tokens()];
  readonly topUps: { who: number; id: string; lot: number; left: number; taken: number }[] = [];
  /** By payer: what was taken back, and no balance covered. */
  readonly owed = [0, 0];
  readonly charges: Made[] = [];
  runs = 0;

  async open(): Promise<this> {
    const { db } = t.ctx;
    for (let n = 0; n < 2; n += 1) {
      this.payers.push(await addUser(db, 'payer'));
      const creator = await addUser(db, 'creator');
      this.creators.push(creator);
      this.agents.push(await addAgent(db, creator));
      const now = new Date();
      const account = await processor.payments.createAccount({ accountId: creator, email: '', key: creator });
      processor.enable(creator);
      await db('payout_accounts').insert({
        user_id: creator,
        processor_id: account.id,
        details_submitted: true,
        payouts_enabled: true,
        requirements: [],
        created_at: now,
        checked_at: now,
      });
    }
    return this;
  }

  async take({ kind, who, to, count, share, which }: Step): Promise<void> {
    const [payer, creator, agent, model] = [this.payers[who], this.creators[to], this.agents[to], this.models[who]];
    if (payer === undefined || creator === undefined || !agent || !model) throw new Error('a step names nobody');
    if (kind === 'topUp') this.topUps.push({ who, id: await fund(t.ctx, 'top_up', payer, count * UNIT), lot: model.fund(count, 'received'), left: count, taken: 0 }); // prettier-ignore
    if (kind === 'gift') {
      await fund(t.ctx, 'promotion', payer, count * UNIT);
      model.fund(count, 'given');
    }
    if (kind === 'charge' && model.wallet.length >= count) {
      const micros = count * UNIT;
      const made = { payer, creator, agent, micros, share: Math.floor((micros * share) / 101) };
      const { charge_id, key } = await charge(t.ctx, made);
      this.charges.push({ who, creator, key, charge_id, micros, share: made.share, bought: model.spend(count) });
    }
    if (kind === 'refund') await this.#refund(which, count);
    if (kind === 'won') await this.#won(which);
    const owed = Math.min(this.owed[who] ?? 0, model.wallet.length);
    if (kind === 'recover' && owed > 0) {
      await recover(t.ctx, payer, owed * UNIT);
      this.owed[who] = (this.owed[who] ?? 0) - owed;
      model.payLosses(owed);
    }
    if (kind === 'undo') await this.#undo(which);
    if (kind === 'accrue') await accrue(t.ctx);
    if (kind === 'settle' || kind === 'settleBroken') await this.settle(kind === 'settleBroken' ? which : undefined);
  }

  async #refund(which: number, count: number): Promise<void> {
    const one = this.topUps[which];
    const payer = one && this.payers[one.who];
    const taken = Math.min(one?.left ?? 0, count);
    if (!one || payer === undefined || taken === 0) return;
    const { wallet, losses } = await refund(t.ctx, payer, one.id, taken * UNIT);
    one.left -= taken;
    one.taken += taken;
    this.owed[one.who] = (this.owed[one.who] ?? 0) + losses / UNIT;
    this.models[one.who]?.refund(one.lot, wallet / UNIT, losses / UNIT);
  }

  async #won(which: number): Promise<void> {
    const one = this.topUps[which];
    const [payer, model] = one ? [this.payers[one.who], this.models[one.who]] : [];
    if (!one || payer === undefined || !model || one.taken === 0) return;
    const owed = this.owed[one.who] ?? 0;
    const { wallet, losses } = await restore(t.ctx, payer, one.id, { micros: one.taken * UNIT, owed: owed * UNIT });
    this.owed[one.who] = owed - losses / UNIT;
    one.taken = 0;
    model.fund(wallet / UNIT, 'received');
    model.recover(losses / UNIT);
  }

  async #undo(which: number): Promise<void> {
    const one = this.charges[which];
    if (!one || one.bought.tokens.length === 0) return;
    // What its creator was paid cannot be taken from them.
    if ((await balanceOf(t.ctx, one.creator, 'earnings')) < one.share) return;
    await reverse(t.ctx.db, { key: one.key, refs: {}, at: Date.now() });
    this.models[one.who]?.undo(one.bought);
  }

  /** A run; `breakAt`: the first requests break off, some of them after they were done. */
  async settle(breakAt?: number): Promise<void> {
    await accrue(t.ctx);
    await moveLines(t.ctx);
    const run_id = newId('por');
    this.runs += 1;
    await t.ctx.db('payout_runs').insert({ run_id, key: run_id, state: 'running', created_at: new Date() });
    let left = breakAt === undefined ? 0 : 1 + (breakAt % 3);
    processor.breaks = () => ((left -= 1) >= 0 ? (left % 2 === 0 ? 'before' : 'after') : undefined);
    while (await takeDue(t.ctx, run_id));
    // As the workflow's retries do; two workers at once, as after one that only seemed dead.
    for (let tries = 0; tries < 10; tries += 1) {
      const ends = await Promise.allSettled([payNext(t.ctx, run_id), payNext(t.ctx, run_id)]);
      if (ends.every((end) => end.status === 'fulfilled' && !end.value)) break;
    }
    processor.breaks = () => undefined;
    await endRun(t.ctx, run_id);
  }

  async check(): Promise<void> {
    await accrue(t.ctx);
    const { db } = t.ctx;
    for (const one of this.charges) {
      const received = Tokens.receivedIn(one.bought) * UNIT;
      const lines = await db('payout_lines as l').whereRaw(`l.charge_id = :id or l.of_line_id = (select line_id from payout_lines where charge_id = :id)`, {
        id: one.charge_id,
      });
      const sum = lines.reduce((total, { amount_micros }) => total + amount_micros, 0);
      expect(sum, `${one.charge_id}: ${received} of ${one.micros}`).toBe(Number((BigInt(one.share) * BigInt(received)) / BigInt(one.micros)));
    }
    for (const creator of this.creators) {
      const lines = await db('payout_lines').where({ creator_id: creator });
      const sum = (of: (line: (typeof lines)[number]) => boolean): number => lines.filter(of).reduce((total, { amount_micros }) => total + amount_micros, 0);
      const made = sum(({ kind, state }) => kind !== 'carry' && state !== 'cancelled');
      const due = sum(({ state }) => ['accrued', 'held', 'owed', 'failed', 'in_run'].includes(state));
      const sent = processor.transfers.filter(({ destination }) => destination === `acct_${creator}`).reduce((total, { cents }) => total + cents * 10_000, 0);
      expect(sent + due, 'what was made was sent or is due').toBe(made);
      expect(await db('payout_transfers').where({ creator_id: creator, state: 'paid' }).sum('amount_micros as sum').first()).toEqual({ sum: sent === 0 ? null : String(sent) }); // prettier-ignore
    }
    const wallets = await Promise.all(this.payers.map((payer) => balanceOf(t.ctx, payer)));
    expect(wallets).toEqual(this.models.map(({ wallet }) => wallet.length * UNIT));
  }
}

test('any history pays each creator their share of what was received, once, and the books add up', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 60 }), async (steps) => {
      const world = await new World().open();
      for (const one of steps) await world.take(one);
      await world.check();
      await world.settle();
      await world.settle();
      await world.check();
    }),
    { numRuns: 40 },
  );
  expect(await auditLedger(t.ctx)).toEqual([]);
  const { rows } = await t.ctx.db.raw(`select coalesce(sum(balance_micros), 0)::bigint as sum from ledger_accounts where kind = 'payouts'`);
  expect(rows[0].sum).toBe(processor.transfers.reduce((total, { cents }) => total + cents * 10_000, 0));
  expect(new Set(processor.transfers.map(({ reference }) => reference)).size).toBe(processor.transfers.length);
}, 300_000);
