// Forms that a hostile agent sends, and answers that a hostile person does.
import { expect, test } from 'vitest';
import { Invalid } from '../../kernel/errors.ts';
import { checkAnswer, checkFormSchema } from './form.ts';

const nested = (levels: number): Record<string, unknown> => {
  let value: Record<string, unknown> = { type: 'string' };
  for (let at = 0; at < levels; at += 1) value = { type: 'object', properties: { a: value } };
  return value;
};

test.each([
  ['a reference', { type: 'object', properties: { a: { $ref: '#' } } }],
  ['a pattern', { type: 'string', pattern: '(a+)+$' }],
  ['a pattern below a name that reads like a keyword', { $defs: { properties: { pattern: '(a+)+$' } } }],
  ['a reference below such a name', { definitions: { properties: { $ref: 'http://a.test/x' } } }],
  ['a reference in a list', { anyOf: [{ type: 'string' }, { allOf: [{ $dynamicRef: '#x' }] }] }],
  ['a hundred thousand levels', nested(100_000)],
  ['more than 64 KiB', { type: 'string', description: 'x'.repeat(70_000) }],
])('%s is no form', async (_, schema) => {
  await expect(checkFormSchema('mallory', schema)).rejects.toThrow(Invalid);
});

test('fields may be named like keywords, and forms like those people write are taken', async () => {
  const schema = { type: 'object', properties: { pattern: { type: 'string' }, $ref: { type: 'number' } }, required: ['pattern'] };
  expect(await checkAnswer('ada', { pattern: 'x', $ref: 1 }, schema)).toEqual({ pattern: 'x', $ref: 1 });
  await checkFormSchema('ada', nested(8));
  await expect(checkAnswer('ada', {}, schema)).rejects.toThrow(Invalid);
});

test('an answer is no deeper and no longer than forms are', async () => {
  await expect(checkAnswer('ada', nested(100_000), { type: 'object' })).rejects.toThrow(Invalid);
  await expect(checkAnswer('ada', 'x'.repeat(70_000), undefined)).rejects.toThrow(Invalid);
  expect(await checkAnswer('ada', 'yes', undefined)).toBe('yes');
});
