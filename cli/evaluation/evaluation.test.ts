// svc eval and its neighbours, against the real HTTP kernel; and a project that really runs, with --local.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { serveForTest } from '#api/http/test/serve.ts';
import { evaluations, type EvaluationDetailOut, type EvaluationOut } from '#contract/quality/evaluations.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { signedIn, toolAt } from '../test/signed-in.ts';
import { failuresOf, rowsOf } from './compare.ts';

const at = '2026-11-25T10:00:00.000Z';
const evaluation = (id: string, version: string, passed: number): EvaluationOut => ({
  evaluation_id: id,
  dataset: 'questions',
  deploy_id: `dep_${version}`,
  version,
  state: 'succeeded',
  items: 4,
  done: 4,
  passed,
  rules: [{ rule: 'quick', scored: 4, passed }],
  error: null,
  created_at: at,
  ended_at: at,
});
const failedItem: EvaluationDetailOut['results'][number] = { item_id: 'itm_1', skill: 'double', state: 'done', run_id: 'run_1', passed: false, scores: [{ rule: 'quick', passed: false, score: 0, reason: 'It took long' }], error: null }; // prettier-ignore
const rules = { items: [{ rule: 'whole', check: { kind: 'schema' as const, schema: { type: 'integer' } }, skills: [], sample: 1, enabled: true, updated_at: at }] }; // prettier-ignore
const example = (n: number, expected: unknown) => ({ item_id: `itm_${n}`, skill: 'double', args: { n }, expected, run_id: null, created_at: at });
let now: EvaluationDetailOut;
let polls: number;
let asked: unknown[];
beforeEach(() => {
  now = { ...evaluation('evl_3', '2.0.0', 2), results: [failedItem] };
  polls = 0;
  asked = [];
});

const { tool } = await toolAt(
  await serveForTest(
    { evaluations },
    {
      evaluations: {
        rules: () => rules,
        putRule: (_ctx, { params, body }) => (asked.push(params, body), { rule: params.rule, ...body, updated_at: at }),
        deleteRule: (_ctx, { params }) => void asked.push(params),
        summary: () => ({ days: 7, versions: [{ deploy_id: 'dep_1', number: 2, version: '1.0.0', live: true, rules: [{ rule: 'quick', scored: 8, passed: 6, average: 0.75, failed_runs: ['run_9'] }], thumbs: { up: 3, down: 1 } }] }), // prettier-ignore
        runScores: (_ctx, { params }) => ({ run_id: params.run_id, scores: [{ rule: 'quick', passed: false, score: 0, reason: 'It took long' }], thumb: { up: false, comment: 'Slow' } }), // prettier-ignore
        putThumb: (_ctx, { params, body }) => void asked.push(params, body),
        deleteThumb: (_ctx, { params }) => void asked.push(params),
        consents: () => ({ items: [{ agent: 'librarian', created_at: at }] }),
        consent: (_ctx, { params }) => void asked.push(params),
        withdrawConsent: (_ctx, { params }) => void asked.push(params),
        datasets: () => ({ items: [{ dataset: 'questions', items: 4, created_at: at }] }),
        addItems: (_ctx, { body }) => (asked.push(body), { items: body.items.map((_, n) => example(n, 0)) }),
        items: () => ({ items: [example(1, 2), example(2, 5), example(3, 6)], next_cursor: null }),
        deleteItem: (_ctx, { params }) => void asked.push(params),
        deleteDataset: (_ctx, { params }) => void asked.push(params),
        evaluate: () => ({ ...evaluation('evl_3', '2.0.0', 0), state: 'running' as const, done: 0, ended_at: null }),
        evaluations: () => ({ items: [evaluation('evl_3', '2.0.0', 2), evaluation('evl_2', '1.1.0', 3), evaluation('evl_1', '1.0.0', 2)] }),
        evaluation: () => ((polls += 1) === 1 ? { ...now, state: 'running' as const, ended_at: null } : now),
        cancelEvaluation: () => ({ ...evaluation('evl_3', '2.0.0', 2), state: 'cancelled' as const }),
      },
    },
  ),
);
const svc = (...argv: string[]) => tool.run(argv, signedIn);

test('fewer passed than on the version before: it ends with 1, and names what failed; within the tolerance it does not', async () => {
  const worse = await svc('eval', 'questions', '--agent', 'librarian');
  expect(worse.code).toBe(EXIT.failure);
  expect(worse.out).toMatch(/examples +2 of 4 +50 % +-25\.0 points\nquick +2 of 4 +50 % +-25\.0 points/);
  expect(worse.err).toContain('itm_1 double: quick: It took long (svc trace run_1)');
  expect(worse.err).toContain('Compared with evl_2 of version 1.1.0.');
  expect((await svc('eval', 'questions', '--agent', 'librarian', '--tolerance', '0.25')).code).toBe(EXIT.ok);
  const json = await svc('eval', 'questions', '--agent', 'librarian', '--baseline', '1.0.0', '--min', '0.6', '--json');
  expect([json.code, JSON.parse(json.out)]).toMatchObject([EXIT.failure, { evaluation_id: 'evl_3', baseline: { evaluation_id: 'evl_1' }, failures: ['examples: 50 % passed, less than 60 %'] }]); // prettier-ignore
  expect((await svc('eval', 'questions', '--agent', 'librarian', '--baseline', '9.9.9')).err).toContain('has no evaluation of 9.9.9');
  expect((await svc('eval', 'questions', '--agent', 'librarian', '--min', 'all')).code).toBe(EXIT.usage);
  now = { ...now, state: 'failed' };
  expect((await svc('eval', 'questions', '--agent', 'librarian', '--tolerance', '1')).code).toBe(EXIT.failure);
});

test('shares that are as they were never fail, whatever floats make of them; what was not scored says nothing', () => {
  const third = { items: 3, passed: 1, rules: [{ rule: 'r', scored: 0, passed: 0 }] };
  expect(failuresOf(rowsOf(third, { items: 9, passed: 3, rules: [{ rule: 'r', scored: 3, passed: 3 }] }), { tolerance: 0, min: undefined })).toEqual([]);
});

test('--local runs the project as it is here, and scores it by the same rules', async () => {
  const folder = join(tool.home, 'doubler');
  await mkdir(folder);
  await writeFile(join(folder, 'svc.yaml'), 'name: doubler\nversion: 0.1.0\nentrypoint: agent:Doubler\n');
  await writeFile(
    join(folder, 'agent.ts'),
    `import { Agent, skill, z } from '@svc/sdk';
export class Doubler extends Agent {
  name = 'doubler'; description = 'Doubles'; version = '0.1.0';
  double = skill({ description: 'Doubles.', input: z.object({ n: z.number() }), output: z.number() }, async (_ctx, { n }) => n * 2);
}`,
  );
  const ran = await svc('eval', 'questions', '--local', '--project', folder, '--baseline', 'evl_1', '--json');
  expect(ran.err).toContain('itm_2 double: expected: The result is another at its top');
  expect([ran.code, JSON.parse(ran.out)]).toMatchObject([
    EXIT.ok,
    { items: 3, passed: 2, rules: [{ rule: 'expected', scored: 3, passed: 2 }, { rule: 'whole', scored: 3, passed: 3 }] }, // prettier-ignore
  ]);
});

test('rules, datasets, scores, thumbs and consents', async () => {
  expect((await svc('rules', 'set', 'librarian', 'private', '--not-matches', '@', '--at', '/answer', '--sample', '0.5')).code).toBe(0);
  expect(asked).toEqual([{ name: 'librarian', rule: 'private' }, { check: { kind: 'matches', pointer: '/answer', pattern: '@', absent: true }, skills: [], sample: 0.5, enabled: true }]); // prettier-ignore
  expect((await svc('rules', 'set', 'librarian', 'two', '--thumb', '--max-ms', '5')).code).toBe(EXIT.usage);
  const noSchema = join(tool.home, 'schema.json');
  for (const [text, why] of [
    ['[1]', 'has no JSON Schema'],
    ['null', 'has no JSON Schema'],
    ['"a"', 'has no JSON Schema'],
    ['{', 'cannot be read as JSON'],
  ] as const) {
    await writeFile(noSchema, text);
    const refused = await svc('rules', 'set', 'librarian', 'shape', '--schema', noSchema);
    expect([refused.code, refused.err], text).toEqual([EXIT.failure, expect.stringContaining(why)]);
  }
  expect((await svc('rules', 'list', 'librarian')).out).toMatch(/whole +the result fits a schema +all +100 % +on/);
  expect((await svc('rules', 'rm', 'librarian', 'private')).out).toContain('Deleted');
  const file = join(tool.home, 'examples.jsonl');
  await writeFile(file, '{"skill":"double","args":{"n":1},"expected":2}\n\n{"skill":"double"}\n');
  asked = [];
  expect((await svc('datasets', 'add', 'librarian', 'questions', '--file', file)).out).toContain('2 added');
  expect(asked).toEqual([
    {
      items: [
        { skill: 'double', args: { n: 1 }, expected: 2 },
        { skill: 'double', args: {} },
      ],
    },
  ]);
  await writeFile(file, '{"skill":"double"}\n{"args":{}}\n');
  expect((await svc('datasets', 'add', 'librarian', 'questions', '--file', file)).err).toContain('examples.jsonl:2 has no "skill"');
  expect((await svc('datasets', 'show', 'librarian', 'questions')).out.split('\n')[0]).toBe('{"skill":"double","args":{"n":1},"expected":2}');
  expect((await svc('datasets', 'list', 'librarian')).out).toMatch(/questions +4 +2026-11-25/);
  expect((await svc('datasets', 'rm', 'librarian', 'questions', '--item', 'itm_1')).code).toBe(0);
  const scores = await svc('scores', 'librarian');
  expect(scores.out).toMatch(/2 \(1\.0\.0\) live +quick +6 of 8 +75 % +run_9\n2 \(1\.0\.0\) live +thumbs +3 of 4 +75 %/);
  expect((await svc('scores', 'librarian', '--run', 'run_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11')).out).toContain('thumb down, "Slow"');
  asked = [];
  await svc('thumb', 'run_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11', 'up', '--comment', 'Good');
  expect(asked[1]).toEqual({ up: true, comment: 'Good' });
  expect((await svc('thumb', 'run_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11', 'sideways')).code).toBe(EXIT.usage);
  expect((await svc('consent')).out).toContain('librarian');
  expect((await svc('consent', 'librarian', '--withdraw')).out).toContain('may no longer keep');
  expect((await svc('evaluations', 'librarian')).out).toMatch(/evl_2 +questions +1\.1\.0 +succeeded +3 of 4/);
  expect((await svc('evaluations', 'librarian', '--cancel', 'evl_3')).out).toContain('Cancelled');
});
