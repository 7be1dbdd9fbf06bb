import { expect, test } from 'vitest';
import { contrast, readableColor } from './color.ts';
import { piecesOf } from './pieces.ts';

test('colors become pieces, and markup stays text', () => {
  const pieces = piecesOf('\x1b[1;31mred\x1b[0m <img src=x onerror=alert(1)>', '');
  expect(pieces).toMatchObject([{ text: 'red', bold: true }, { text: ' <img src=x onerror=alert(1)>' }]);
  expect(pieces[1]?.color).toBeUndefined();
});

test('every color is read on the ground', () => {
  for (const rgb of ['0, 0, 0', '0, 0, 187', '187, 0, 0', '255, 255, 255', 'x, y', '20, 23, 28'])
    expect(contrast((readableColor(rgb).match(/\d+/g) ?? []).map(Number)), rgb).toBeGreaterThanOrEqual(4.5);
});

test('a color that would not be a color is none', () => {
  expect(piecesOf('\x1b[38;2;1;2;999999mx', '')[0]?.color ?? 'rgb(0, 0, 0)').toMatch(/^rgb\(\d+, \d+, \d+\)$/);
});

test('what is searched is marked, letters of either case', () => {
  expect(piecesOf('An error, an ERROR', 'error')).toEqual([{ text: 'An ' }, { text: 'error', found: true }, { text: ', an ' }, { text: 'ERROR', found: true }]);
  expect(piecesOf('\x1b[32mok\x1b[0m and ok', 'ok').filter(({ found }) => found)).toHaveLength(2);
  expect(piecesOf('nothing', '')).toEqual([{ text: 'nothing' }]);
});
