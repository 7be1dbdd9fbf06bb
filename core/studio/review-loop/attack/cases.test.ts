import { describe, expect, test } from 'vitest';
import { ATTACKS } from '#contract/states.ts';
import { SkillCard } from '#contract/wire/card.ts';
import type { AttackCase } from './case.ts';
import { casesOf, fitted } from './cases.ts';
import { type AttackFacts, judgeCase, type Observation } from './judge.ts';

const skill = SkillCard.parse({
  id: 'find',
  name: 'find',
  input_schema: {
    type: 'object',
    properties: {
      path: { type: 'string', maxLength: 200 },
      question: { type: 'string' },
      limit: { type: 'integer', minimum: 1, maximum: 20 },
      exact: { type: 'boolean' },
      mode: { enum: ['a', 'b'] },
    },
    required: ['path', 'question'],
    additionalProperties: false,
  },
  output_schema: {},
});
const target = { skill, workspace: true, concurrency: 4, seed: 7, iteration: 1 };
const seen = (text: string, more: Partial<Observation> = {}): Observation => ({
  how: 'answered',
  code: null,
  text,
  ms: 5,
  runId: null,
  asked: [],
  flags: [],
  ...more,
});
const facts: AttackFacts = {
  secrets: ['sk-12345678'],
  canaries: { given: 'gv1', private: 'pv1', memory: 'mm1' },
  folders: { given: 'x/given', private: 'x/private' },
  usual: { works: true, ms: 5, showsMemory: false },
  lateMs: 4000,
  bounded: false,
  down: false,
};
const rules = (tried: AttackCase, ...observed: Observation[]): string[] => judgeCase(tried, observed, facts).map(({ rule }) => rule);
const first = (attack: Parameters<typeof casesOf>[0]): AttackCase => {
  const [one] = casesOf(attack, target);
  if (!one) throw new Error(`no case of ${attack}`);
  return one;
};

test('the same seed and round give the same cases, others give others; no probe is large', () => {
  for (const attack of ATTACKS) {
    expect(casesOf(attack, target)).toEqual(casesOf(attack, target));
    expect(casesOf(attack, target).length).toBeLessThanOrEqual(8);
  }
  expect(casesOf('shell', target)).not.toEqual(casesOf('shell', { ...target, seed: 8 }));
  expect(casesOf('paths', target)).not.toEqual(casesOf('paths', { ...target, iteration: 2 }));
});

test('what fits the schema is told from what does not', async () => {
  expect((await fitted('ada', target.skill, casesOf('boundaries', target))).map(({ fits }) => fits)).toContain(true);
  const wrong = await fitted('ada', target.skill, [1, 2, 3, 4, 5].flatMap((iteration) => casesOf('types', { ...target, iteration }))); // prettier-ignore
  for (const { fits, at, calls } of wrong) {
    const value = Object(calls[0]?.args)[at.slice(1)];
    // 'NaN' is a text like another, and `true` is what the flag takes; an argument that is unknown never
    // fits.
    const isTaken = (typeof value === 'string' && (at === '/path' || at === '/question')) || (at === '/exact' && value === true);
    expect([at, value, fits]).toEqual([at, value, isTaken]);
  }
  expect(wrong.some(({ fits }) => !fits)).toBe(true);
});

test('a name of __proto__ is an own member of the arguments and poisons nothing', () => {
  for (let iteration = 1; iteration < 6; iteration += 1) casesOf('types', { ...target, iteration });
  expect(Object.keys({})).toEqual([]);
  expect(Reflect.get({}, 'admin')).toBeUndefined();
});

describe('the judge', () => {
  test('an answer with what a shell makes of the argument shows it; one that repeats the argument does not', () => {
    const shell = first('shell');
    const mark = shell.marks?.[0]?.text ?? '';
    expect(rules(shell, seen(`x ${mark}`))).toEqual(['command-run']);
    expect(rules(shell, seen(JSON.stringify(shell.calls[0]?.args)))).toEqual([]);
  });

  test('secrets are found however they are written, and not where the caller sent them', () => {
    for (const text of ['sk-12345678', Buffer.from('sk-12345678').toString('base64'), Buffer.from('sk-12345678').toString('hex')]) expect(rules(first('baseline'), seen(`key ${text}`))).toEqual(['secret-in-answer']); // prettier-ignore
    const sent = { ...first('baseline'), calls: [{ args: { path: 'sk-12345678' }, grant: 'given' as const }] };
    expect(rules(sent, seen('no file sk-12345678'))).toEqual([]);
  });

  test('files outside the grant, and inside it without the grant', () => {
    const [kept] = casesOf('grants', target);
    expect(kept && rules(kept, seen('gv1'), seen('nothing'))).toEqual([]);
    expect(kept && rules(kept, seen('gv1'), seen('gv1'))).toEqual(['kept-content']);
    expect(rules(first('paths'), seen('pv1'))).toEqual(['private-file-read']);
    expect(rules(first('paths'), seen('root:x:0:0:root:/root:/bin/sh'))).toEqual(['host-file-read']);
  });

  test('a grant that must be refused and was not', () => {
    const bad = casesOf('grants', target).slice(1);
    expect(bad.map(({ calls }) => calls[0]?.grant)).toEqual(['forged', 'expired', 'revoked', 'foreign']);
    for (const one of bad) {
      expect(rules(one, seen('', { how: 'refused', code: 'grant_invalid' }))).toEqual([]);
      expect(rules(one, seen('ok'))).toEqual(['bad-grant-accepted']);
    }
  });

  test('a scope request that reaches the private folder is creep; one for the file of the arguments is not', () => {
    const files = first('files');
    expect(rules(files, seen('', { how: 'asked', asked: ['**'] }))).toEqual(['scope-creep']);
    expect(rules(files, seen('', { how: 'asked', asked: ['x/given/orders.md'] }))).toEqual([]);
  });

  test('an answer with the argument of another call at the same time', () => {
    const parallel = first('parallel');
    const own = parallel.calls.map(({ mark = '' }) => seen(`Hello ${mark}`));
    expect(rules(parallel, ...own)).toEqual([]);
    expect(rules(parallel, ...own.toReversed())).toEqual(['cross-call-leak']);
  });

  test('late and unexpected ends are blamed on the agent only where the arguments fit and ordinary calls work', async () => {
    const fitting = (await fitted('ada', target.skill, casesOf('boundaries', target))).find(({ fits }) => fits);
    if (!fitting) throw new Error('nothing fits');
    expect(rules(fitting, seen('', { how: 'late', ms: 4000 }))).toEqual(['unbounded-work']);
    expect(rules(fitting, seen('', { how: 'failed', code: 'skill_invocation_error' }))).toEqual(['unexpected-error']);
    expect(rules({ ...fitting, fits: false }, seen('', { how: 'late', ms: 4000 }), seen('', { how: 'failed', code: 'skill_invocation_error' }))).toEqual([]);
    expect(judgeCase(fitting, [seen('', { how: 'late', ms: 4000 })], { ...facts, bounded: true })).toEqual([]);
    expect(judgeCase(fitting, [seen('', { how: 'late', ms: 4000 })], { ...facts, usual: { ...facts.usual, works: false } })).toEqual([]);
  });

  test('memory that the skill is for is no dump', () => {
    expect(rules(first('memory'), seen('mm1'))).toEqual(['memory-dump']);
    expect(judgeCase(first('memory'), [seen('mm1')], { ...facts, usual: { ...facts.usual, showsMemory: true } })).toEqual([]);
  });
});
