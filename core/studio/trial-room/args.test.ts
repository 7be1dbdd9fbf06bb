import { expect, test } from 'vitest';
import { argsOf } from './args.ts';

const spec = { goal: 'Read the total', input_paths: ['invoices/**'] };
const schema = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

test('inputs go by their names, the goal into an argument in words that is free, the files into a list', () => {
  const text = { type: 'string' };
  expect(argsOf(schema({ text, lang: text }), spec, { inputs: { lang: 'en' } })).toEqual({ lang: 'en', text: 'Read the total' });
  expect(argsOf(schema({ text }), spec, { inputs: { text: 'Total: 5' } })).toEqual({ text: 'Total: 5' });
  expect(argsOf(schema({ goal: text, text, files: { type: 'array' } }), spec, { inputs: { text: 'T' } })).toEqual({
    text: 'T',
    goal: 'Read the total',
    files: ['invoices/**'],
  });
  expect(argsOf(schema({ a: { type: 'number' } }, { additionalProperties: false }), spec, { inputs: { a: 1, b: 2 } })).toEqual({ a: 1 });
  expect(argsOf(schema({ a: { type: 'number' } }), spec, { inputs: { a: 1, b: 2 } })).toEqual({ a: 1, b: 2 });
  expect(argsOf({}, spec, { inputs: { __proto__x: 1 } })).toEqual({ __proto__x: 1 });
});

test('a map says where each argument comes from, and leaves out what is not there', () => {
  const map = { prompt: '/goal', body: '/inputs/mail/body', paths: '/files', gone: '/inputs/none' };
  expect(argsOf(schema({}), spec, { inputs: { mail: { body: 'Hello' } } }, map)).toEqual({ prompt: 'Read the total', body: 'Hello', paths: ['invoices/**'] });
});
