import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineSplitter, parseJson } from './lines.ts';

test('any cutting of the bytes gives the same lines', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n]/g, ''))), fc.array(fc.nat(40)), (lines, cuts) => {
      const got: string[] = [];
      const splitter = lineSplitter((line) => got.push(line));
      let rest = Buffer.from(lines.map((line) => `${line}\n`).join(''));
      for (const cut of cuts) {
        splitter.push(rest.subarray(0, cut));
        rest = rest.subarray(cut);
      }
      splitter.push(rest);
      splitter.end();
      expect(got).toEqual(lines);
    }),
  );
});

test('long lines are cut and the next one is whole again', () => {
  const got: string[] = [];
  const splitter = lineSplitter((line) => got.push(line), 4);
  for (const piece of ['abc', 'defg', 'hi\r\nxy\r\nlast']) splitter.push(Buffer.from(piece));
  splitter.end();
  expect(got).toEqual(['abcd', 'xy', 'last']);
});

test('junk is no JSON', () => expect([parseJson('{'), parseJson('{"a":1}')]).toEqual([undefined, { a: 1 }]));
