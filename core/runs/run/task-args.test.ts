import { expect, test } from 'vitest';
import { taskArgs } from './task-args.ts';

const task = (inputs: Record<string, unknown>, more: object = {}) => ({ goal: 'Read the total', files: ['invoices/**'], inputs, ...more });
const schema = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
const text = { type: 'string' };
const before = [
  { step: 'scout', result: 'five' },
  { step: 'judge', result: { total: 5 } },
];

test('inputs go by their names, the goal into an argument in words that is free, the files into a list', () => {
  expect(taskArgs(schema({ text, lang: text }), task({ lang: 'en' }))).toEqual({ lang: 'en', text: 'Read the total' });
  expect(taskArgs(schema({ text }), task({ text: 'Total: 5' }))).toEqual({ text: 'Total: 5' });
  expect(taskArgs(schema({ goal: text, text, files: { type: 'array' } }), task({ text: 'T' }))).toEqual({
    text: 'T',
    goal: 'Read the total',
    files: ['invoices/**'],
  });
  expect(taskArgs(schema({ a: { type: 'number' } }, { additionalProperties: false }), task({ a: 1, b: 2 }))).toEqual({ a: 1 });
  expect(taskArgs(schema({ a: { type: 'number' } }), task({ a: 1, b: 2 }))).toEqual({ a: 1 });
  expect(taskArgs(schema({ a: { type: 'number' } }, { additionalProperties: true }), task({ a: 1, b: 2 }))).toEqual({ a: 1, b: 2 });
  expect(taskArgs({}, task({ x: 1 }))).toEqual({ x: 1 });
});

test('earlier results go into their own argument, in its shape; else into the goal', () => {
  expect(taskArgs(schema({ goal: text, results: { type: 'array' } }), task({}, { before }))).toEqual({
    goal: 'Read the total',
    results: ['five', { total: 5 }],
  });
  expect(taskArgs(schema({ sources: { type: 'array', items: text } }), task({}, { before }))).toEqual({ sources: ['five', '{"total":5}'] });
  expect(taskArgs(schema({ context: { type: 'object' } }), task({}, { before }))).toEqual({ context: { scout: 'five', judge: { total: 5 } } });
  expect(taskArgs(schema({ text }), task({}, { before })).text).toBe('Read the total\n\nResults of earlier steps:\nscout: five\njudge: {"total":5}');
});

test('a map says where each argument comes from, and leaves out what does not exist', () => {
  const map = { prompt: '/goal', body: '/inputs/mail/body', paths: '/files', gone: '/inputs/none' };
  expect(taskArgs(schema({}), task({ mail: { body: 'Hello' } }), map)).toEqual({ prompt: 'Read the total', body: 'Hello', paths: ['invoices/**'] });
});
