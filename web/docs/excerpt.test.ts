import { expect, test } from 'vitest';
import { excerpt, marked } from './excerpt.ts';

test('words are marked whole, whatever their case', () => {
  expect(marked('A Grant, and what grants hold', ['grant'])).toEqual([
    { text: 'A ', isMarked: false },
    { text: 'Grant', isMarked: true },
    { text: ', and what grants hold', isMarked: false },
  ]);
  expect(marked('nothing', [])).toEqual([{ text: 'nothing', isMarked: false }]);
});

test('a long text is cut around the first word, between words', () => {
  const text = `${'before '.repeat(100)}receipt${' after'.repeat(100)}`;
  const pieces = excerpt(text, ['receipt']);
  expect(pieces.filter(({ isMarked }) => isMarked)).toEqual([{ text: 'receipt', isMarked: true }]);
  expect(pieces.map(({ text: piece }) => piece).join('')).toMatch(/^… (before )+receipt( after)+ …$/);
});

test('a text without the words begins at its start; one without spaces is cut all the same', () => {
  expect(excerpt('short text', ['grant'])).toEqual([{ text: 'short text', isMarked: false }]);
  expect(excerpt('x'.repeat(5_000), [])[0]?.text.length).toBeLessThan(300);
});
