// Rules, thumbs, datasets and consent on a real database. Runs of calls are as endCall leaves them: a
// receipt, and the content that was kept.
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { EvaluationCheck } from '#contract/quality/evaluations.ts';
import { appendReceipt } from '#core/evidence/receipt/sign.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { type LiveAgent, liveAgent, runOf } from '#test/support/runs.ts';
import { nextMillisecond, turns } from '#test/support/turns.ts';
import { facts } from '#test/support/verbs.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { inTx } from '../../kernel/tx.ts';
import { startRun } from '../../runs/durable/start.ts';
import { endDurableRun } from '../../runs/durable/end.ts';
import { failed, succeeded } from '../../runs/run/outcome.ts';
import { giveEvaluationConsent, listEvaluationConsents, withdrawEvaluationConsent } from './consent.ts';
import { addItems, deleteDataset, deleteItem, listDatasets, listItems } from './dataset.ts';
import { keepContent } from './keep-content.ts';
import { deleteRule, listRules, putRule } from './rules.ts';
import { isSampled } from './sample.ts';
import { scoreRuns, SCORE_DELAY_MS } from './score-runs.ts';
import { readRunScores, readSummary } from './summary.ts';
import { deleteThumb, putThumb } from './thumb.ts';

let t: TestContext;
let ada: TestUser;
let ben: TestUser;
let agent: LiveAgent;
/** The platform, later: what has ended so far has settled. */
const later = (): Ctx => {
  const now = Date.now() + SCORE_DELAY_MS + 2;
  return { ...t.ctx, clock: () => now };
};
beforeAll(async () => {
  t = await testContext();
  [ada, ben] = [await t.user('ada'), await t.user('ben')];
  await scoreRuns(t.ctx);
});
afterAll(() => t.close());
beforeEach(async () => void (agent = await liveAgent(t.ctx, ada.actor.user_id, { visibility: 'public' })));

const rule = (name: string, check: EvaluationCheck, more: { sample?: number; skills?: string[]; enabled?: boolean } = {}) =>
  putRule(ada, { name: agent.name, rule: name, check, skills: [], sample: 1, enabled: true, ...more });

/** A call by Ben that ended so; the rules are known to this process. */
async function called(result: unknown, more: { ms?: number; error?: string } = {}): Promise<string> {
  const run = runOf(t.ctx, agent, ben.actor.user_id);
  const end = more.error === undefined ? succeeded(result) : failed(more.error);
  await knowsRules();
  keepContent(t.ctx, { run: run.actor, route: { agentId: agent.id }, skill: 'work', args: () => ({ q: 'x' }) }, end);
  const ended = Date.now();
  await inTx(t.ctx, (ctx) =>
    appendReceipt(ctx, {
      ...facts(agent, { skill: 'work', runId: run.actor.run_id, deployId: agent.deployId, startedAt: ended - (more.ms ?? 5), endedAt: ended }),
      caller: { kind: 'user', id: ben.actor.user_id, userId: ben.actor.user_id },
      ...(more.error !== undefined && { status: 'error', errorCode: more.error, outputSha256: null }),
    }),
  );
  // Ids have milliseconds: the next look is after this one.
  await nextMillisecond();
  return run.actor.run_id;
}
async function knowsRules(): Promise<void> {
  // The first look starts a refresh; a context whose clock is ahead makes it due.
  const none = { run: { run_id: 'run_none', owner_id: 'usr_none', user_id: null }, route: { agentId: 'agt_none' }, skill: 'work' };
  const { promise: isRead, resolve } = Promise.withResolvers<void>();
  const heard = (_rows: unknown, { sql }: { sql: string }): void => void (sql.includes('evaluation_rules') && resolve());
  t.ctx.db.on('query-response', heard);
  keepContent({ ...t.ctx, clock: () => (ahead += 60_000) }, none, succeeded(null));
  await isRead;
  t.ctx.db.off('query-response', heard);
  // The rows are taken up.
  await turns(2);
}
let ahead = Date.now();
const scores = async (runId: string) => (await readRunScores(ada, { name: agent.name, run_id: runId })).scores.map(({ rule: name, passed, reason }) => [name, passed, reason]); // prettier-ignore

describe('rules', () => {
  test('a plain call is scored by its result, its time and its error, once, and its content is not kept longer', async () => {
    await rule('polite', { kind: 'matches', pattern: '^Hello', pointer: '/greeting', absent: false });
    await rule('quick', { kind: 'latency', max_ms: 100 });
    await rule('shape', { kind: 'schema', schema: { type: 'object', properties: { greeting: { type: 'string' } }, required: ['greeting'] } });
    const [good, bad, broken] = [await called({ greeting: 'Hello, Ada' }), await called({ greeting: 5 }, { ms: 900 }), await called(null, { error: 'boom' })];
    await vi.waitFor(async () => expect(await t.ctx.db('scored_contents').where({ agent_id: agent.id })).toHaveLength(2));
    await scoreRuns(later());
    await scoreRuns(later());
    expect(await scores(good)).toEqual([['polite', true, null], ['quick', true, null], ['shape', true, null]]); // prettier-ignore
    expect(await scores(bad)).toEqual([
      ['polite', false, 'The pattern was not found'],
      ['quick', false, 'It took 900 ms, more than 100'],
      ['shape', false, expect.stringContaining('greeting')],
    ]);
    expect((await scores(broken)).slice(0, 1)).toEqual([['polite', false, 'The run ended with boom']]);
    expect(await t.ctx.db('scored_contents').where({ agent_id: agent.id })).toEqual([]);
    expect((await listRules(ada, { name: agent.name })).items.map(({ rule: name }) => name)).toEqual(['polite', 'quick', 'shape']);
  });

  test('two workers at once score each run once; a worker that dies has scored nothing', async () => {
    await rule('quick', { kind: 'latency', max_ms: 1 });
    const runs = await Promise.all(Array.from({ length: 20 }, () => called(null)));
    const dying = inTx(later(), async (ctx) => {
      await ctx.db('scoring_position').forUpdate().first();
      await scoreRuns(later());
      throw new Error('killed');
    });
    await expect(dying).rejects.toThrow('killed');
    expect(await t.ctx.db('run_scores').where({ agent_id: agent.id })).toEqual([]);
    await Promise.all([scoreRuns(later()), scoreRuns(later()), scoreRuns(later())]);
    await scoreRuns(later());
    const rows = await t.ctx.db('run_scores').where({ agent_id: agent.id });
    expect(rows.map(({ run_id }) => run_id).toSorted()).toEqual(runs.toSorted());
  });

  test('a pattern that takes for ever gives no score and holds nobody', async () => {
    await rule('slow', { kind: 'matches', pattern: '^(a+)+$', pointer: '', absent: false });
    const runs = [await called(`${'a'.repeat(60)}!`), await called('aaa')];
    await vi.waitFor(async () => expect(await t.ctx.db('scored_contents').where({ agent_id: agent.id })).toHaveLength(2));
    await scoreRuns(later());
    const [slow = '', quick = ''] = runs;
    expect(await scores(slow)).toEqual([['slow', null, expect.stringContaining('took too long')]]);
    expect(await scores(quick)).toEqual([['slow', true, null]]);
    await rule('slow', { kind: 'matches', pattern: '^a+$', pointer: '', absent: false });
    const mended = await called('aaa');
    await vi.waitFor(async () => expect(await t.ctx.db('scored_contents').where({ agent_id: agent.id })).toHaveLength(1));
    await scoreRuns(later());
    expect(await scores(mended)).toEqual([['slow', true, null]]);
  });

  test('a sample is a share of the runs, the same ones for every process; skills and disabled rules are left out', async () => {
    const some = { rule: 'r', skills: [], sample: 0.3 };
    const taken = Array.from({ length: 2_000 }, (_, n) => isSampled(some, { run_id: `run_${n}`, skill: 'work' }));
    expect(taken.filter(Boolean).length).toBeGreaterThan(480);
    expect(taken.filter(Boolean).length).toBeLessThan(720);
    expect(isSampled({ ...some, sample: 0 }, { run_id: 'run_1', skill: 'work' })).toBe(false);
    await rule('never', { kind: 'latency', max_ms: 1 }, { sample: 0 });
    await rule('other', { kind: 'latency', max_ms: 1 }, { skills: ['rest'] });
    await rule('off', { kind: 'latency', max_ms: 1 }, { enabled: false });
    await rule('on', { kind: 'latency', max_ms: 1 });
    const run = await called(null);
    await scoreRuns(later());
    expect(await scores(run)).toEqual([['on', false, expect.any(String)]]);
  });

  test('what cannot be read is refused; a rule goes with its scores; nobody else sees or changes any', async () => {
    await expect(rule('bad', { kind: 'matches', pattern: '(', pointer: '', absent: false })).rejects.toMatchObject({ code: 'evaluation_rule_invalid' });
    await rule('quick', { kind: 'latency', max_ms: 1 });
    const run = await called(null);
    await scoreRuns(later());
    for (const refused of [
      () => listRules(ben, { name: agent.name }),
      () => readRunScores(ben, { name: agent.name, run_id: run }),
      () => readSummary(ben, { name: agent.name, days: 7 }),
      () => deleteRule(ben, { name: agent.name, rule: 'quick' }),
      () => addItems(ben, { name: agent.name, dataset: 'd', items: [{ skill: 'work', args: {} }] }),
      () => listDatasets(ben, { name: agent.name }),
    ])
      await expect(refused()).rejects.toMatchObject({ code: 'agent_not_found' });
    await deleteRule(ada, { name: agent.name, rule: 'quick' });
    expect(await scores(run)).toEqual([]);
    await expect(deleteRule(ada, { name: agent.name, rule: 'quick' })).rejects.toMatchObject({ code: 'evaluation_rule_not_found' });
  });
});

test('shares are shown for each version, with runs that did not pass; a thumb is a score, changes and goes', async () => {
  await rule('liked', { kind: 'thumb' });
  await rule('quick', { kind: 'latency', max_ms: 100 });
  const [one, two] = [await called(null), await called(null, { ms: 500 })];
  await scoreRuns(later());
  await expect(putThumb(ada, { run_id: one, up: true, comment: '' })).rejects.toMatchObject({ code: 'run_not_found' });
  await putThumb(ben, { run_id: one, up: true, comment: '' });
  await putThumb(ben, { run_id: two, up: true, comment: '' });
  await putThumb(ben, { run_id: two, up: false, comment: 'Too slow' });
  const version = { deploy_id: agent.deployId, number: 1, version: '1.0.0', live: true };
  expect(await readSummary(ada, { name: agent.name, days: 7 })).toEqual({
    days: 7,
    versions: [
      {
        ...version,
        rules: [
          { rule: 'liked', scored: 2, passed: 1, average: 0.5, failed_runs: [two] },
          { rule: 'quick', scored: 2, passed: 1, average: 0.5, failed_runs: [two] },
        ],
        thumbs: { up: 1, down: 1 },
      },
    ],
  });
  expect(await readRunScores(ada, { name: agent.name, run_id: two })).toMatchObject({ thumb: { up: false, comment: 'Too slow' } });
  await deleteThumb(ben, { run_id: two });
  expect((await scores(two)).map(([name]) => name)).toEqual(['quick']);
});

describe('datasets', () => {
  /** A durable run of that person, at its end. */
  async function durable(user: TestUser, args: Record<string, unknown>, result: unknown, ended = true): Promise<string> {
    const { run_id } = await inTx(user, (ctx) => startRun(ctx, { userId: user.actor.user_id, agent: agent.name, skill: 'work', args }));
    if (!ended) return run_id;
    await t.ctx.db('runs').where({ run_id }).update({ state: 'running' });
    await endDurableRun(t.ctx, run_id, succeeded(result));
    return run_id;
  }
  const add = (user: TestUser, ...items: Parameters<typeof addItems>[1]['items']) => addItems(user, { name: agent.name, dataset: 'real', items });

  test('examples are written or taken from runs; a plain call, an open run and another person’s run are refused', async () => {
    const [mine, bens, open] = [await durable(ada, { q: 1 }, { a: 2 }), await durable(ben, { q: 3 }, 4), await durable(ada, {}, null, false)];
    const added = await add(ada, { skill: 'work', args: { q: 0 }, expected: null }, { run_id: mine, expect_result: true });
    expect(added.items).toMatchObject([
      { skill: 'work', args: { q: 0 }, expected: null, run_id: null },
      { skill: 'work', args: { q: 1 }, expected: { a: 2 }, run_id: mine },
    ]);
    const from = (run_id: string) => add(ada, { run_id, expect_result: false });
    await expect(from(bens)).rejects.toMatchObject({ code: 'run_consent_required' });
    await expect(from(open)).rejects.toMatchObject({ code: 'run_not_ended' });
    await expect(from(await called(null))).rejects.toMatchObject({ code: 'run_not_durable' });
    const elsewhere = await liveAgent(t.ctx, ben.actor.user_id);
    const { run_id } = await inTx(ben, (ctx) => startRun(ctx, { userId: ben.actor.user_id, agent: elsewhere.name, skill: 'work', args: {} }));
    await expect(from(run_id)).rejects.toMatchObject({ code: 'run_not_found' });
    await expect(add(ada, { skill: 'work', args: { long: 'x'.repeat(70_000) } })).rejects.toMatchObject({ code: 'dataset_item_too_large' });
    expect(await listDatasets(ada, { name: agent.name })).toMatchObject({ items: [{ dataset: 'real', items: 2 }] });
    const of = { name: agent.name, dataset: 'real' };
    const first = await listItems(ada, { ...of, limit: 1 });
    const second = await listItems(ada, { ...of, limit: 1, cursor: first.next_cursor ?? '' });
    expect([...first.items, ...second.items]).toEqual(added.items);
    await deleteItem(ada, { ...of, item_id: added.items[0]?.item_id ?? '' });
    await deleteDataset(ada, of);
    await expect(listItems(ada, { ...of, limit: 1 })).rejects.toMatchObject({ code: 'dataset_not_found' });
  });

  test('with consent a caller’s run is kept as an example, and goes when it is taken back', async () => {
    const bens = await durable(ben, { q: 3 }, 4);
    await giveEvaluationConsent(ben, { agent: agent.name });
    await giveEvaluationConsent(ben, { agent: agent.name });
    expect((await listEvaluationConsents(ben)).items.map((one) => one.agent)).toEqual([agent.name]);
    await add(ada, { run_id: bens, expect_result: true }, { skill: 'work', args: {} });
    await withdrawEvaluationConsent(ben, { agent: agent.name });
    expect((await listItems(ada, { name: agent.name, dataset: 'real', limit: 10 })).items).toMatchObject([{ run_id: null }]);
    await expect(add(ada, { run_id: bens, expect_result: true })).rejects.toMatchObject({ code: 'run_consent_required' });
  });
});
