// Random histories of money against a model in which each unit is a thing of its own: what was received for
// which charge, who is paid what, and nobody twice. The processor is a server that behaves as Stripe:
// transfers come back in parts, banks refuse, accounts are restricted, and its events come late, lost, thrice
// and out of order, into transactions that break off.
import fc from 'fast-check';
import type { Knex } from 'knex';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../kernel/ids.ts';
import { forgetSettings } from '../../kernel/settings.ts';
import { auditLedger } from '../ledger/audit-ledger.ts';
import { reverse } from '../ledger/post.ts';
import { testContext, type TestContext } from '#test/support/context.ts';
import { Random } from '#contract/wire/random.ts';
import { PaymentsFailed } from '#drivers/payments/port.ts';
import type { Transfer } from '#test/support/stripe/state.ts';
import { addAgent, addUser, type TestAgent, userActor } from '#test/support/verbs.ts';
import { accrue } from './accrue/accrue.ts';
import { moveLines } from './advance.ts';
import { postTo, type ProcessorTest, processorTest } from '../test/processor.ts';
import { openPayoutAccount } from './account/open.ts';
import { endPayoutRun, payNext } from './run/next.ts';
import { takeDue } from './run/take.ts';
import { balanceOf, charge, fund, recover, refund, restore } from './test/money.ts';
import { Tokens } from './test/tokens.ts';

let t: TestContext;
let p: ProcessorTest;
/** What the next requests for a transfer meet: they are not sent, or their answer is lost. */
let breaks: ('before' | 'after')[] = [];
beforeAll(async () => {
  t = await testContext();
  p = await processorTest(t);
  const { payments } = p.at(t.ctx).drivers;
  if (!payments) throw new Error('there is a processor');
  const lost = (): PaymentsFailed => new PaymentsFailed('it was not reached', { retry: true, code: 'unreachable' });
  t.ctx.drivers.payments = {
    ...payments,
    transfer: async (request) => {
      const how = breaks.shift();
      if (how === 'before') throw lost();
      const sent = await payments.transfer(request);
      if (how === 'after') throw lost();
      return sent;
    },
  };
  await t.ctx.db('platform_settings').insert([{ key: 'payout_minimum_cents', value: 1 }, { key: 'payout_hold_days', value: 0 }]); // prettier-ignore
  forgetSettings(t.ctx.db);
});
afterAll(() => Promise.all([t.close(), p.close()]));

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
  'settle',
  'settleBroken',
  'reverse',
  'reverse',
  'bank',
  'restrict',
  'ready',
  'deliver',
] as const;
const step = fc.record({
  kind: fc.constantFrom(...kinds),
  who: fc.nat(1),
  to: fc.nat(1),
  count: fc.integer({ min: 1, max: 12 }),
  share: fc.nat(100),
  which: fc.nat(9),
});
const whole = { who: 0, to: 0, count: 12, share: 100, which: 0 };
const BEGINNING: Step[] = [{ kind: 'topUp', ...whole }, { kind: 'charge', ...whole }, { kind: 'settle', ...whole }]; // prettier-ignore
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
  /** Of the creators, at the processor. */
  readonly accounts: string[] = [];
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
      await openPayoutAccount({ ...t.ctx, requestId: newId('req'), actor: userActor(creator) }, {});
      const account = (await db('payout_accounts').where({ user_id: creator }).first('processor_id'))?.processor_id ?? '';
      this.accounts.push(account);
      p.server.fillAccount(account);
    }
    await this.#deliver(0);
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
    if (kind === 'reverse') this.#reverse(which, count);
    const account = this.accounts[to] ?? '';
    if (kind === 'bank') p.server.endPayout(p.server.payOut(account, count), share % 2 === 0 ? 'paid' : 'failed');
    if (kind === 'restrict') p.server.restrictAccount(account);
    if (kind === 'ready') p.server.fillAccount(account);
    if (kind === 'deliver') await this.#deliver(share);
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

  /** What the creators of this world were sent. */
  transfers(): Transfer[] {
    return p.server.state.all('transfer').filter(({ destination }) => this.accounts.includes(destination));
  }

  #reverse(which: number, cents: number): void {
    const all = this.transfers();
    const one = all[which % Math.max(1, all.length)];
    const left = one === undefined ? 0 : one.amount - one.amount_reversed;
    if (one && left > 0) p.server.reverseTransfer(one.id, Math.min(left, cents));
  }

  /** All of it in the end; some of it breaks off after it was written, before the commit. */
  async #deliver(seed: number): Promise<void> {
    const stream = Random.of(seed);
    const random = (): number => stream.below(1_000) / 1_000;
    const post: ProcessorTest['post'] = async (raw, signature) => (random() < 0.2 ? brokenOff(raw, signature) : p.post(raw, signature));
    await p.server.events.deliver(post, { copies: 3, lost: 0.3, random });
  }

  /** A run; `breakAt`: the first requests break off, some of them after they were done. */
  async settle(breakAt?: number): Promise<void> {
    await accrue(t.ctx);
    await moveLines(t.ctx);
    const run_id = newId('por');
    this.runs += 1;
    await t.ctx.db('payout_runs').insert({ run_id, key: run_id, state: 'running', created_at: new Date() });
    const left = breakAt === undefined ? 0 : 1 + (breakAt % 3);
    breaks = Array.from({ length: left }, (_, n) => (n % 2 === 0 ? 'after' : 'before'));
    while (await takeDue(t.ctx, run_id));
    // As the workflow's retries do; two workers at once, as after one that only seemed dead.
    for (let tries = 0; tries < 10; tries += 1) {
      const ends = await Promise.allSettled([payNext(t.ctx, run_id), payNext(t.ctx, run_id)]);
      if (ends.every((end) => end.status === 'fulfilled' && !end.value)) break;
    }
    breaks = [];
    await endPayoutRun(t.ctx, run_id);
  }

  async check(): Promise<void> {
    await this.#deliver(7);
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
    for (const [at, creator] of this.creators.entries()) {
      const lines = await db('payout_lines').where({ creator_id: creator });
      const sum = (of: (line: (typeof lines)[number]) => boolean): number => lines.filter(of).reduce((total, { amount_micros }) => total + amount_micros, 0);
      const made = sum(({ kind, state }) => kind !== 'carry' && kind !== 'returned' && state !== 'cancelled');
      const due = sum(({ state }) => ['accrued', 'held', 'owed', 'failed', 'in_run'].includes(state));
      const sent = sentIn(this.transfers().filter(({ destination }) => destination === this.accounts[at]));
      expect(sent + due, 'what was made was sent or is due').toBe(made);
      expect(await db('payout_transfers').where({ creator_id: creator, state: 'paid' }).sum({ sum: db.raw('amount_micros - reversed_micros') }).first()).toMatchObject({ sum: expect.toBeOneOf([String(sent), ...(sent === 0 ? [null] : [])]) }); // prettier-ignore
    }
    const wallets = await Promise.all(this.payers.map((payer) => balanceOf(t.ctx, payer)));
    expect(wallets).toEqual(this.models.map(({ wallet }) => wallet.length * UNIT));
  }
}

const sentIn = (transfers: readonly Transfer[]): number => transfers.reduce((sum, one) => sum + (one.amount - one.amount_reversed) * 10_000, 0);

/** The event is written, and its transaction ends without a commit, as when the process dies. */
async function brokenOff(raw: Buffer, signature: string): Promise<number> {
  const transaction = (work: (tx: Knex.Transaction) => Promise<unknown>) =>
    t.ctx.db.transaction(async (tx) => {
      await work(tx);
      throw new Error('it died');
    });
  const db = new Proxy(t.ctx.db, { get: (target, name) => (name === 'transaction' ? transaction : Reflect.get(target, name)) });
  return postTo({ ...p.at(t.ctx), db }, raw, signature);
}

test('any history pays each creator their share of what was received, once, and the books add up', async () => {
  const all: Transfer[] = [];
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 60 }), async (steps) => {
      const world = await new World().open();
      // Something is sent early, so that it can come back.
      for (const one of [...BEGINNING, ...steps]) await world.take(one);
      await world.check();
      for (const account of world.accounts) p.server.fillAccount(account);
      await world.check();
      await world.settle();
      await world.settle();
      await world.check();
      all.push(...world.transfers());
    }),
    { numRuns: 12 },
  );
  expect(await auditLedger(t.ctx)).toEqual([]);
  const { rows } = await t.ctx.db.raw(`select coalesce(sum(balance_micros), 0)::bigint as sum from ledger_accounts where kind = 'payouts'`);
  expect(rows[0].sum).toBe(sentIn(all));
  expect(new Set(all.map(({ metadata }) => metadata['reference'])).size).toBe(all.length);
  // Histories had what this is about.
  expect(all.some(({ amount_reversed }) => amount_reversed > 0)).toBe(true);
});
