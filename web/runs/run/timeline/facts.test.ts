import { expect, test } from 'vitest';
import { aboutOf, costOf, typeOf } from './facts.ts';
import { spanOf, waitOf } from './test-span.ts';

const model = spanOf('chat', 'run', [0, 1], {
  attributes: { 'gen_ai.request.model': 'm-1', 'gen_ai.usage.input_tokens': 1_200, 'gen_ai.usage.output_tokens': 34, 'svc.cost_micros': 4_200 },
});

test('a span of a model says its tokens and what it cost', () => {
  expect([typeOf(model), aboutOf(model)]).toEqual(['model', '1,200 + 34 tokens · $0.004200']);
  // What an agent says of cost was counted at the gateway already.
  expect(aboutOf({ ...model, source: 'agent' })).toBe('1,200 + 34 tokens');
});

test('runs, waits, tools and sandboxes are told apart', () => {
  const of = (attributes: Record<string, unknown>) => typeOf(spanOf('x', null, [0, 1], { attributes }));
  expect(of({ 'svc.run_id': 'run_1', 'svc.skill': 'greet' })).toBe('run');
  expect(typeOf(waitOf('w', 'run', [0, 1]))).toBe('wait');
  expect(of({ 'gen_ai.tool.name': 'search' })).toBe('tool');
  expect(of({ 'svc.sandbox.name': 'py', 'svc.sandbox.exit_code': 2 })).toBe('sandbox');
  expect(of({})).toBe('other');
});

test('what failed says why, in bounded length', () => {
  expect(aboutOf(spanOf('x', null, [0, 1], { status: 'error', message: 'y'.repeat(5_000) }))).toHaveLength(121);
  expect([costOf(null), costOf(undefined), costOf(0), costOf(2_500_000)]).toEqual(['no known price', '', '$0.00', '$2.50']);
});
