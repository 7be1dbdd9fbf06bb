// The engine against a second reading of the same rules, and what it does when it cannot go on.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PolicyDefault } from '#contract/states.ts';
import { Engine } from './engine.ts';
import { loadCedar } from './load.ts';
import type { RuleFacts, RuleResource } from './request.ts';
import { ruleSetHash, type RuleSet } from './rule-set.ts';
import { facts, forbidding, reference, type Rule, rule, textOf } from './test/world.ts';

const engine = new Engine();
let made = 0;
const setOf = (texts: readonly string[], default_outcome: PolicyDefault = 'allow'): RuleSet => ({
  key: `set ${(made += 1)}`,
  policies: texts.map((text, at) => ({ name: `rule-${at}`, text })),
  default_outcome,
});
const rank = { allow: 2, ask: 1, deny: 0 };
const run: RuleFacts['principal'] = { type: 'Run', id: 'run_1', agent: 'lib', owner: 'usr_a', skill: 'work', depth: 1, caller: null };
const ask = (resource: RuleResource, action: RuleFacts['action'] = 'egress'): RuleFacts => ({
  principal: run,
  action,
  resource,
  context: {},
  at: Date.UTC(2026, 0, 1),
});

describe('the engine', () => {
  test('2,000 random questions of random rules are answered as the reference answers them', () => {
    const outcomes = new Set<string>();
    fc.assert(
      fc.property(
        fc.array(rule, { maxLength: 6 }),
        fc.constantFrom('allow' as const, 'deny' as const),
        fc.array(facts, { minLength: 10, maxLength: 10 }),
        (rules, otherwise, asked) => {
          const set = setOf(rules.map(textOf), otherwise);
          for (const one of asked) {
            const { outcome, broken } = engine.decide(set, one);
            expect([outcome, broken]).toEqual([reference(rules, otherwise, one), undefined]);
            outcomes.add(outcome);
          }
        },
      ),
      { numRuns: 200 },
    );
    // Each was among them, or nothing was compared.
    expect(outcomes.size).toBe(3);
  });

  test('deny overrides: another forbid never allows more, another permit never allows what is forbidden', () => {
    fc.assert(
      fc.property(
        fc.array(rule, { maxLength: 5 }),
        forbidding(fc.constant('forbid')),
        forbidding(fc.constant('permit')),
        facts,
        (rules, forbid, permit, asked) => {
          const decide = (all: readonly Rule[]) => engine.decide(setOf(all.map(textOf)), asked).outcome;
          const before = decide(rules);
          expect(rank[decide([...rules, forbid])]).toBeLessThanOrEqual(rank[before]);
          expect(decide([...rules, permit])).toBe(before);
        },
      ),
      { numRuns: 150 },
    );
  });

  test('it names the rules that decided, or the default', () => {
    const forbidden = setOf(['forbid(principal, action == Action::"egress", resource in Host::"example.com");', 'permit(principal, action, resource);']);
    expect(engine.decide(forbidden, ask({ type: 'Host', host: 'api.example.com' }))).toEqual({ outcome: 'deny', reasons: ['rule-0'] });
    expect(engine.decide(forbidden, ask({ type: 'Host', host: 'example.org' }))).toEqual({ outcome: 'allow', reasons: ['default_allow', 'rule-1'] });
    expect(engine.decide(setOf([], 'deny'), ask({ type: 'Host', host: 'example.org' }))).toEqual({ outcome: 'deny', reasons: ['default_deny'] });
    const asking = setOf(['permit(principal, action == Action::"egress", resource);'], 'deny');
    expect(engine.decide(asking, ask({ type: 'Host', host: 'example.org' }))).toEqual({ outcome: 'ask', reasons: ['rule-0'] });
  });

  test('a host has one spelling, and what has none is denied', () => {
    const set = setOf([
      'forbid(principal, action == Action::"egress", resource in Host::"example.com");',
      'forbid(principal, action == Action::"egress", resource is Host) when { resource has address && resource.address.isInRange(ip("10.0.0.0/8")) };',
    ]);
    const outcome = (host: string) => engine.decide(set, ask({ type: 'Host', host, port: 443 }));
    for (const host of ['example.com', 'EXAMPLE.com.', 'a.b.example.com']) expect(outcome(host)).toEqual({ outcome: 'deny', reasons: ['rule-0'] });
    for (const host of ['10.1.2.3', '[::ffff:10.1.2.3]', '::ffff:0a01:0203']) expect(outcome(host)).toEqual({ outcome: 'deny', reasons: ['rule-1'] });
    for (const host of ['0x0a.1.2.3', '167838211', '10.1', 'a..example.com', 'exa mple.com', '', 'fe80::1%eth0', 'ex\u0430mple.com'])
      expect(outcome(host)).toEqual({ outcome: 'deny', reasons: ['host_not_clear'] });
    for (const host of ['example.org', '11.0.0.1', 'notexample.com', '2001:db8::1']) expect(outcome(host).outcome).toBe('allow');
  });

  test('a path has one spelling, and what has none is denied', () => {
    const set = setOf(['forbid(principal, action == Action::"write_file", resource in Path::"secret");']);
    const outcome = (path: string) => engine.decide(set, ask({ type: 'Path', path }, 'write_file'));
    expect(outcome('secret/a/b.txt')).toEqual({ outcome: 'deny', reasons: ['rule-0'] });
    expect(outcome('secrets/a.txt').outcome).toBe('allow');
    for (const path of ['open/../secret/a', './secret/a', '/secret/a', 'secret//a', 'open\\..\\secret', 'secret/a\0'])
      expect(outcome(path)).toEqual({ outcome: 'deny', reasons: ['path_not_clear'] });
  });
});

describe('what goes wrong denies', () => {
  test('a rule that fails: Cedar alone would leave out what it forbids', () => {
    const set = setOf(['forbid(principal, action, resource) when { context has money.amount_cents && context.money.amount_cents * 9000000000000000 > 1 };']);
    const asked = { ...ask({ type: 'Host', host: 'example.org' }), context: { money: { amount_cents: 9_000 } } };
    expect(engine.decide(set, asked)).toEqual({ outcome: 'deny', reasons: ['rule_failed', 'rule-0'], broken: 'rule_failed' });
    expect(engine.decide(set, ask({ type: 'Host', host: 'example.org' })).outcome).toBe('allow');
  });

  test('facts that do not fit the schema, and numbers that are none', () => {
    const set = setOf([]);
    expect(engine.decide(set, ask({ type: 'Host', host: 'example.org' }, 'publish'))).toEqual({
      outcome: 'deny',
      reasons: ['facts_not_fitting'],
      broken: 'request',
    });
    const asked = { ...ask({ type: 'Host', host: 'example.org' }), context: { money: { amount_cents: Number.NaN } } };
    expect(engine.decide(set, asked)).toEqual({ outcome: 'deny', reasons: ['number_not_clear'] });
  });

  test('rules that do not parse; others go on', () => {
    const broken = setOf(['forbid(principal']);
    for (let times = 0; times < 2; times += 1)
      expect(engine.decide(broken, ask({ type: 'Host', host: 'example.org' }))).toEqual({
        outcome: 'deny',
        reasons: ['rules_unparsable'],
        broken: 'unparsable',
      });
    expect(engine.decide(setOf([]), ask({ type: 'Host', host: 'example.org' })).outcome).toBe('allow');
  });

  test('a trap: those rules deny, and a fresh instance decides by all others', () => {
    let instances = 0;
    const own = new Engine(() => ((instances += 1), loadCedar()));
    const other = setOf(['forbid(principal, action == Action::"egress", resource in Host::"example.com");']);
    expect(own.decide(other, ask({ type: 'Host', host: 'example.org' })).outcome).toBe('allow');
    // It parses; evaluated, it needs more stack than there is.
    const deep = setOf([`forbid(principal, action, resource) when { ${Array(400).fill('1').join('+')} < 9 };`]);
    for (let times = 0; times < 3; times += 1)
      expect(own.decide(deep, ask({ type: 'Host', host: 'example.org' }))).toEqual({ outcome: 'deny', reasons: ['rules_trapped'], broken: 'trap' });
    expect(own.decide(other, ask({ type: 'Host', host: 'example.org' })).outcome).toBe('allow');
    expect(own.decide(other, ask({ type: 'Host', host: 'example.com' })).outcome).toBe('deny');
    // Not one for each question.
    expect(instances).toBe(2);
  });

  test('no engine: nothing is allowed, and it is tried again', () => {
    let works = false;
    const own = new Engine(() => {
      if (!works) throw new RangeError('WebAssembly.Instance(): out of memory');
      return loadCedar();
    });
    const set = setOf([]);
    expect(own.decide(set, ask({ type: 'Host', host: 'example.org' }))).toMatchObject({ outcome: 'deny', broken: 'trap' });
    works = true;
    expect(own.decide(set, ask({ type: 'Host', host: 'example.org' })).outcome).toBe('allow');
  });
});

test('more sets than are kept prepared are all decided by, each by its own', () => {
  const own = new Engine();
  const filler = `// ${'x'.repeat(7_000)}\n`;
  const sets = Array.from({ length: 700 }, (_, at) => setOf([`${filler}forbid(principal, action, resource == Host::"h${at}.example.com");`]));
  for (const at of [0, 699, 1, 350, 0])
    sets.slice(at, at + 1).forEach((set) => expect(own.decide(set, ask({ type: 'Host', host: `h${at}.example.com` })).outcome).toBe('deny'));
  for (const [at, set] of sets.entries()) expect(own.decide(set, ask({ type: 'Host', host: `h${at + 1}.example.com` })).outcome).toBe('allow');
  for (const [at, set] of sets.entries()) expect(own.decide(set, ask({ type: 'Host', host: `h${at}.example.com` })).outcome).toBe('deny');
});

test('the hash says which rules these are, not how they stand', () => {
  const [a, b] = [
    { name: 'a', text: 'permit(principal, action, resource);' },
    { name: 'b', text: 'forbid(principal, action, resource);' },
  ];
  const hash = ruleSetHash({ policies: [a, b], default_outcome: 'allow' });
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
  expect(ruleSetHash({ policies: [b, a], default_outcome: 'allow' })).toBe(hash);
  expect(ruleSetHash({ policies: [a], default_outcome: 'allow' })).not.toBe(hash);
  expect(ruleSetHash({ policies: [a, b], default_outcome: 'deny' })).not.toBe(hash);
});
