// Rules, decisions and trials of changes on a real database.
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { PolicyRulesIn } from '#contract/policy/policy-rules.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { newId } from '../../kernel/ids.ts';
import { inTx } from '../../kernel/tx.ts';
import { tryApart } from './apart.ts';
import { decideByRules, principalOf, type CedarQuestion } from './decide.ts';
import { listDecisions, retainDecisions, testRules } from './decisions.ts';
import { type BrokenRules, onBrokenRules, ruleHealth } from './health.ts';
import { readRules, saveRules } from './rules.ts';

let t: TestContext;
let ada: TestUser;
beforeAll(async () => void (t = await testContext()));
afterAll(() => t.close());
beforeEach(async () => void (ada = await t.user(`ada-${newId('usr').slice(-8)}`)));

const NO_EXAMPLE = { name: 'no-example', text: 'forbid(principal, action == Action::"egress", resource in Host::"example.com");' };
const ASK_WRITES = { name: 'ask-writes', text: 'forbid(principal, action == Action::"write_file_without_approval", resource);' };
const save = (policies: PolicyRulesIn['policies'], version: number, more: Partial<PolicyRulesIn> = {}) =>
  saveRules(ada, { policies, version, default_outcome: 'allow', record_allowed: true, ...more });
const trial = (policies: PolicyRulesIn['policies'], last = 1_000) => testRules(ada, { policies, default_outcome: 'allow', last });
const question = (host: string): CedarQuestion => ({
  accountId: ada.actor.user_id,
  principal: { type: 'Run', id: 'run_1', agent: 'lib', owner: ada.actor.user_id, skill: 'work', depth: 1, caller: null },
  action: 'egress',
  resource: { type: 'Host', host },
  context: {},
});
const to = (host: string, ctx: Ctx = t.ctx) => decideByRules(ctx, question(host));
const write = (path: string) => decideByRules(t.ctx, { ...question(''), action: 'write_file', resource: { type: 'Path', path } });
const kept = async (count: number) => {
  await vi.waitFor(async () => expect(await t.ctx.db('policy_decisions').where({ owner_id: ada.actor.user_id })).toHaveLength(count));
  return (await listDecisions(ada, { limit: 200 })).items;
};

describe('saving', () => {
  test('nothing is decided without rules; what is saved holds at once, and is one version more', async () => {
    expect(await to('example.com')).toBeNull();
    expect(await readRules(ada, {})).toMatchObject({ version: 0, hash: null, policies: [], history: [], broken: null });
    const first = await save([NO_EXAMPLE], 0);
    expect(first).toMatchObject({ version: 1, policies: [NO_EXAMPLE], warnings: [], broken: null });
    const decided = await to('api.example.com');
    expect(decided).toEqual({ outcome: 'deny', decision_id: expect.stringMatching(/^pdc_/), policy_hash: first.hash, reasons: ['no-example'] });
    const second = await save([ASK_WRITES], 1);
    expect((await to('api.example.com'))?.outcome).toBe('allow');
    expect(await write('a.txt')).toMatchObject({ outcome: 'ask', reasons: ['ask-writes'], policy_hash: second.hash });
    expect((await readRules(ada, {})).history.map(({ version, policies }) => [version, policies])).toEqual([[2, 1], [1, 1]]); // prettier-ignore
    expect((await readRules(ada, { version: 1 })).policies).toEqual([NO_EXAMPLE]);
    await expect(readRules(ada, { version: 9 })).rejects.toMatchObject({ code: 'policy_rules_not_found' });
    const audited = await t.ctx.db('audit_log').where({ owner_id: ada.actor.user_id, action: 'policy_rules.put' }).orderBy('audit_id');
    expect(audited.map(({ details }) => details)).toMatchObject([{ version: 1, hash: first.hash, policies: 1 }, { version: 2 }]);
  });

  test('of two saves at once one is refused, and nothing of it is kept', async () => {
    const results = await Promise.allSettled([save([NO_EXAMPLE], 0), save([ASK_WRITES], 0)]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'version_conflict', details: { version: 1 } } });
    expect((await readRules(ada, {})).history).toHaveLength(1);
    await expect(save([], 7)).rejects.toMatchObject({ code: 'version_conflict', details: { version: 1 } });
  });

  test('an empty set notes and forbids nothing, or is as if there were none', async () => {
    await save([], 0);
    expect((await to('example.com'))?.outcome).toBe('allow');
    await save([], 1, { record_allowed: false });
    expect(await to('example.com')).toBeNull();
    await save([], 2, { record_allowed: false, default_outcome: 'deny' });
    expect(await to('example.com')).toMatchObject({ outcome: 'deny', reasons: ['default_deny'] });
  });

  test('rules of another account say nothing here', async () => {
    await save([NO_EXAMPLE], 0);
    const ben = await t.user(`ben-${newId('usr').slice(-8)}`);
    expect(await decideByRules(t.ctx, { ...question('example.com'), accountId: ben.actor.user_id })).toBeNull();
    expect((await listDecisions(ben, { limit: 10 })).items).toEqual([]);
    expect((await readRules(ben, {})).version).toBe(0);
  });
});

describe('what is wrong is said with its place', () => {
  const wrong: [string, string, { line: number; column: number; message: RegExp }][] = [
    [
      'a word that does not belong there',
      'forbid(principal,\n  action,\n  resource when { true };',
      { line: 3, column: 12, message: /unexpected token `when`/ },
    ],
    [
      'characters beyond ASCII before it',
      '// für später 🙂\nforbid(principal, action, resource) when { "ü" == context.time.hou };',
      { line: 2, column: 51, message: /hou/ },
    ],
    ['an action that there is not', 'forbid(principal, action == Action::"egres", resource);', { line: 1, column: 29, message: /unrecognized action/ }],
    [
      'a fact that may be absent',
      'forbid(principal, action, resource) when { context.money.day_cents > 1 };',
      { line: 1, column: 44, message: /optional attribute/ },
    ],
  ];
  test.each(wrong)('%s', async (_what, text, place) => {
    const { problems, tested } = await trial([{ name: 'mine', text }]);
    expect(problems[0]).toMatchObject({ policy: 'mine', line: place.line, column: place.column, message: expect.stringMatching(place.message) });
    expect(tested).toBe(0);
    await expect(save([NO_EXAMPLE, { name: 'mine', text }], 0)).rejects.toMatchObject({
      code: 'invalid_input',
      issues: expect.arrayContaining([
        { path: ['policies', 1, 'text'], message: expect.stringContaining(`mine, line ${place.line}, column ${place.column}: `) },
      ]),
      details: { problems: expect.arrayContaining([expect.objectContaining({ policy: 'mine' })]) },
    });
    expect((await readRules(ada, {})).version).toBe(0);
  });

  test.each([
    ['two policies in one', 'forbid(principal, action, resource);forbid(principal, action, resource);', /unexpected token/],
    ['a template', 'forbid(principal == ?principal, action, resource);', /template/],
    ['another name in it', '@id("other")\nforbid(principal, action, resource);', /same name/],
    ['too deep: it would trap when it is evaluated', `forbid(principal, action, resource) when { ${Array(400).fill('1').join('+')} < 9 };`, /nested/],
    ['too deep to be read', `forbid(principal, action, resource) when { ${'('.repeat(3_000)}true${')'.repeat(3_000)} };`, /nested/],
    ['lists in lists', `forbid(principal, action, resource) when { ${'['.repeat(900)}1${']'.repeat(900)} == [] };`, /nested/],
  ])('%s', async (_what, text, message) => {
    expect((await trial([{ name: 'mine', text }])).problems).toMatchObject([{ policy: 'mine', message: expect.stringMatching(message) }]);
    // The next one is read.
    expect((await trial([NO_EXAMPLE])).problems).toEqual([]);
  });

  test('a rule that can never match is a warning', async () => {
    const never = { name: 'never', text: 'forbid(principal, action == Action::"egress", resource in Path::"drafts");' };
    expect((await save([never], 0)).warnings[0]).toMatchObject({ policy: 'never' });
  });

  test('what takes too long is given up, and the next is read', async () => {
    const many = Array.from({ length: 100 }, (_, at) => ({ name: `rule-${at}`, text: NO_EXAMPLE.text }));
    const set = { key: 'slow', policies: many, default_outcome: 'allow' as const };
    expect((await tryApart(ada.actor.user_id, { set, facts: [] }, 1)).inspected.problems).toMatchObject([{ message: expect.stringContaining('too long') }]);
    expect((await trial([NO_EXAMPLE])).problems).toEqual([]);
  });

  test('an account has no more than two of them under way', async () => {
    const results = await Promise.allSettled([trial([NO_EXAMPLE]), trial([NO_EXAMPLE]), trial([NO_EXAMPLE])]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect(results[2]).toMatchObject({ reason: { code: 'rate_limited' } });
  });
});

describe('decisions', () => {
  test('are kept with what the rules were told, and read page by page', async () => {
    await save([NO_EXAMPLE, ASK_WRITES], 0);
    const denied = await to('EXAMPLE.com.');
    // A denial is there when its question is answered.
    expect(await t.ctx.db('policy_decisions').where({ decision_id: denied?.decision_id ?? '' })).toHaveLength(1);
    await to('example.org');
    await write('drafts/a.txt');
    const all = await kept(3);
    expect(all.map(({ action, outcome }) => [action, outcome]).sort()).toEqual([['egress', 'allow'], ['egress', 'deny'], ['write_file', 'ask']]); // prettier-ignore
    const found = all.find(({ decision_id }) => decision_id === denied?.decision_id);
    expect(found).toMatchObject({
      principal: { type: 'Run', id: 'run_1' },
      agent: 'lib',
      resource: { type: 'Host', id: 'EXAMPLE.com.' },
      reasons: ['no-example'],
      rules_version: 1,
    });
    const page = await listDecisions(ada, { limit: 2 });
    const rest = await listDecisions(ada, { limit: 2, cursor: page.next_cursor ?? '' });
    expect([...page.items, ...rest.items]).toEqual(all);
    expect(rest.next_cursor).toBeNull();
    expect((await listDecisions(ada, { limit: 9, outcome: 'ask' })).items).toMatchObject([{ action: 'write_file' }]);
    expect((await listDecisions(ada, { limit: 9, action: 'egress', outcome: 'allow' })).items).toMatchObject([{ resource: { id: 'example.org' } }]);
  });

  test('a denial inside a transaction outlives what it undoes', async () => {
    await save([NO_EXAMPLE], 0);
    await to('example.org');
    const refused = inTx(t.ctx, async (ctx) => {
      expect((await to('example.com', ctx))?.outcome).toBe('deny');
      throw new Error('refused');
    });
    await expect(refused).rejects.toThrow('refused');
    expect((await kept(2)).map(({ outcome }) => outcome).sort()).toEqual(['allow', 'deny']);
  });

  test('what is allowed is kept only where that is wanted', async () => {
    await save([NO_EXAMPLE], 0, { record_allowed: false });
    expect((await to('example.org'))?.outcome).toBe('allow');
    await to('example.com');
    expect(await kept(1)).toMatchObject([{ outcome: 'deny' }]);
  });

  test('a guest that asks on and on is answered, and fills no table', async () => {
    await save([NO_EXAMPLE], 0);
    const { unrecorded } = ruleHealth();
    const now = Date.now();
    const ctx = { ...t.ctx, clock: () => now };
    const outcomes = await Promise.all(Array.from({ length: 250 }, () => to('example.com', ctx)));
    expect(new Set(outcomes.map((one) => one?.outcome))).toEqual(new Set(['deny']));
    expect(ruleHealth().unrecorded - unrecorded).toBe(150);
    await kept(100);
  });

  test('hostile names are stored, and U+0000 is no way around', async () => {
    await save([NO_EXAMPLE], 0);
    expect(await to('example.com\0.org')).toMatchObject({ outcome: 'deny', reasons: ['host_not_clear'] });
    expect(await kept(1)).toMatchObject([{ resource: { id: 'example.com\ufffd.org' } }]);
  });

  test('go after the days that the installation keeps them', async () => {
    await save([NO_EXAMPLE], 0);
    const old = { ...t.ctx, clock: () => Date.now() - 31 * 86_400_000 };
    await to('example.com', old);
    const recent = await to('example.com');
    await retainDecisions(t.ctx);
    expect(await kept(1)).toMatchObject([{ decision_id: recent?.decision_id }]);
  });
});

describe('a change is tried before it holds', () => {
  test('it says which decisions would be others, with examples, and changes nothing', async () => {
    await save([NO_EXAMPLE], 0);
    for (const host of ['example.com', 'api.example.com', 'example.org', 'example.net']) await to(host);
    await kept(4);
    const orgOnly = { name: 'no-org', text: 'forbid(principal, action == Action::"egress", resource in Host::"org");' };
    const tried = await trial([orgOnly]);
    expect(tried).toMatchObject({ problems: [], tested: 4, changed: 3 });
    expect(tried.changes).toEqual([{ from: 'deny', to: 'allow', count: 2 }, { from: 'allow', to: 'deny', count: 1 }]); // prettier-ignore
    expect(tried.examples.find(({ outcome }) => outcome === 'deny')).toMatchObject({
      decision: { resource: { id: 'example.org' }, outcome: 'allow' },
      reasons: ['no-org'],
    });
    expect(await trial([NO_EXAMPLE])).toMatchObject({ tested: 4, changed: 0, hash: (await readRules(ada, {})).hash });
    expect((await trial([orgOnly], 1)).tested).toBe(1);
    expect((await readRules(ada, {})).version).toBe(1);
    await kept(4);
  });

  test('time is that of the decision, not of the trial', async () => {
    await save([], 0);
    const night = { ...t.ctx, clock: () => Date.UTC(2026, 5, 1, 3) };
    await to('example.org', night);
    await kept(1);
    const noNight = { name: 'no-night', text: 'forbid(principal, action, resource) when { context.time.hour < 6 };' };
    expect(await trial([noNight])).toMatchObject({ tested: 1, changed: 1 });
  });
});

describe('broken rules', () => {
  test('in the database deny everything, are counted and said, and can be replaced', async () => {
    const said: BrokenRules[] = [];
    onBrokenRules((one) => said.push(one));
    const before = ruleHealth().broken.unparsable;
    const user = ada.actor.user_id;
    await t.ctx.db('policy_rules').insert({ owner_id: user, version: 1, default_outcome: 'allow', record_allowed: true, policies: JSON.stringify([{ name: 'x', text: 'forbid(' }]), hash: 'h' }); // prettier-ignore
    expect(await to('example.org')).toMatchObject({ outcome: 'deny', reasons: ['rules_unparsable'] });
    expect(await to('example.org')).toMatchObject({ outcome: 'deny' });
    expect(ruleHealth().broken.unparsable - before).toBe(2);
    expect(said.filter(({ account_id }) => account_id === user)).toEqual([{ account_id: user, rules_version: 1, cause: 'unparsable' }]);
    expect((await readRules(ada, {})).broken).toContain('no longer parse');
    expect(await save([NO_EXAMPLE], 1)).toMatchObject({ version: 2, broken: null });
    expect((await to('example.org'))?.outcome).toBe('allow');
  });

  test('that trap deny their own account, and no other', async () => {
    const user = ada.actor.user_id;
    const text = `forbid(principal, action, resource) when { ${Array(400).fill('1').join('+')} < 9 };`;
    await t.ctx.db('policy_rules').insert({ owner_id: user, version: 1, default_outcome: 'allow', record_allowed: true, policies: JSON.stringify([{ name: 'x', text }]), hash: 'h' }); // prettier-ignore
    const ben = await t.user(`ben-${newId('usr').slice(-8)}`);
    await saveRules(ben, { policies: [NO_EXAMPLE], version: 0, default_outcome: 'allow', record_allowed: true });
    const bens = (host: string) => decideByRules(t.ctx, { ...question(host), accountId: ben.actor.user_id });
    expect((await bens('example.org'))?.outcome).toBe('allow');
    expect(await to('example.org')).toMatchObject({ outcome: 'deny', reasons: ['rules_trapped'] });
    expect([(await bens('example.org'))?.outcome, (await bens('example.com'))?.outcome]).toEqual(['allow', 'deny']);
    expect((await readRules(ada, {})).broken).toContain('could not evaluate');
  });
});

test('who acts, as rules know them', () => {
  expect(principalOf(ada.actor)).toEqual({ type: 'User', id: ada.actor.user_id });
  expect(principalOf({ kind: 'anonymous' })).toBeNull();
  expect(principalOf({ kind: 'api_token', token_id: 'tok_1', agent_id: 'agt_1', owner_id: 'usr_1' })).toEqual({ type: 'User', id: 'usr_1' });
});
