import { expect, test } from 'vitest';
import type { ApprovalRule } from '#contract/orgs/approvals.ts';
import { matchesGlob, overlaps, ruleFor } from './match.ts';
import type { ApprovalFacts } from './model.ts';

const facts = (more: Partial<ApprovalFacts> = {}): ApprovalFacts => ({
  subjects: ['scope_request'],
  pairs: [{ agent: 'shop', skill: 'order' }],
  paths: ['docs/a.txt'],
  amountMicros: null,
  ...more,
});
const rule = (name: string, when: ApprovalRule['when']): ApprovalRule => ({
  name,
  when,
  approvers: { role: 'admin', need: 1 },
  starter_may_count: false,
  deadline_seconds: 60,
});
const fits = (when: ApprovalRule['when'], more: Partial<ApprovalFacts> = {}): boolean => ruleFor([rule('one', when)], facts(more)) !== undefined;

test('the first rule that fits counts, and all that it says must hold', () => {
  const rules = [rule('money', { min_amount_micros: 5 }), rule('shop', { agents: ['shop'] }), rule('all', {})];
  expect(ruleFor(rules, facts())?.name).toBe('shop');
  expect(ruleFor(rules, facts({ amountMicros: 5 }))?.name).toBe('money');
  expect(ruleFor(rules, facts({ pairs: [{ agent: 'other', skill: 'order' }] }))?.name).toBe('all');
  expect(ruleFor([], facts())).toBeUndefined();
  expect(fits({ agents: ['shop'], subjects: ['agent_call'] })).toBe(false);
  expect(fits({ subjects: ['policy_ask', 'agent_call'] }, { subjects: ['scope_request', 'policy_ask'] })).toBe(true);
});

test('agent and skill are those of one side: of who asks, or of what is called', () => {
  const pairs = [
    { agent: 'shop', skill: 'order' },
    { agent: 'bank', skill: 'pay' },
  ];
  expect(fits({ agents: ['bank'], skills: ['pay'] }, { pairs })).toBe(true);
  expect(fits({ agents: ['bank'], skills: ['order'] }, { pairs })).toBe(false);
});

test('what costs nothing has no amount', () => {
  expect(fits({ min_amount_micros: 0 })).toBe(false);
  expect(fits({ min_amount_micros: 0 }, { amountMicros: 0 })).toBe(true);
  expect(fits({ min_amount_micros: 10 }, { amountMicros: 9 })).toBe(false);
});

test('a request that could reach a guarded path meets the rule, however it is written', () => {
  for (const asked of ['finance/a.txt', '**', 'fin*/**', '*/a.txt', '**/a.txt', 'f?nance/**']) expect(overlaps(asked, 'finance/**')).toBe(true);
  for (const asked of ['docs/**', 'finance', 'finances/a.txt', '*.txt']) expect(overlaps(asked, 'finance/**')).toBe(false);
  expect(fits({ paths: ['finance/**'] }, { paths: ['docs/a.txt', 'fin*/**'] })).toBe(true);
  expect(fits({ paths: ['finance/**'] }, { paths: [] })).toBe(false);
});

test('names with stars', () => {
  const yes = [['shop', 'shop'], ['*', ''], ['sh*', 'shop'], ['*op', 'shop'], ['s*o*', 'shop'], ['SHOP', 'shop'], ['a*b*c', 'abbcc'], ['**', 'x']] as const; // prettier-ignore
  const no = [
    ['shop', 'shops'],
    ['ab*ba', 'aba'],
    ['*x*', 'shop'],
    ['s.op', 'shop'],
    ['', 'shop'],
  ] as const;
  for (const [glob, name] of yes) expect([glob, name, matchesGlob(glob, name)]).toEqual([glob, name, true]);
  for (const [glob, name] of no) expect([glob, name, matchesGlob(glob, name)]).toEqual([glob, name, false]);
  expect(matchesGlob('*a'.repeat(64), 'a'.repeat(127))).toBe(true);
});
