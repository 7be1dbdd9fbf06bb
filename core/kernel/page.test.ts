import fc from 'fast-check';
import type { Knex } from 'knex';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPool } from '#db/pool.ts';
import { looseForms } from '#test/support/loose-base64.ts';
import { testDatabase } from '#test/support/servers.ts';
import { BadRequest } from './errors.ts';
import { instantOf, microseconds } from './keyset.ts';
import { decodeCursor, encodeCursor, toPage } from './page.ts';

describe('cursors', () => {
  it('come back as they went, for any key', () => {
    const part = fc.oneof(
      fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0')),
      fc.maxSafeInteger(),
    );
    fc.assert(fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (key) => void expect(decodeCursor(encodeCursor(key), key.length)).toEqual(key)));
  });

  it('of another kind, of another list, or forged, are refused', () => {
    const refused = (cursor: string) => expect(() => decodeCursor(cursor, ['number', 'string'])).toThrow(BadRequest);
    fc.assert(fc.property(fc.string(), (junk) => void refused(junk)));
    for (const key of [[1], ['a', 1], [1, 'a', 2], [1.5, 'a'], [1e300, 'a'], [1, 'a\0'], [1, '\ud800'], [null, 'a'], [1, ['a']], { 0: 1 }]) {
      refused(Buffer.from(JSON.stringify(key)).toString('base64url'));
    }
    expect(decodeCursor(encodeCursor([1, 'a']), ['number', 'string'])).toEqual([1, 'a']);
    for (const key of [
      [1, 'a'],
      [1, 'ab'],
      [1, 'abc'],
      [1, '?>~'],
    ])
      for (const form of looseForms(encodeCursor(key))) refused(form);
    refused(Buffer.from('[1,"\xff"]', 'latin1').toString('base64url'));
  });
});

describe('pages', () => {
  it('know whether there is another one', () => {
    const page = (rows: number[], limit: number) => toPage(rows, limit, String, (row) => [row]);
    expect(page([1, 2, 3], 2)).toEqual({ items: ['1', '2'], next_cursor: encodeCursor([2]) });
    expect(page([1, 2], 2).next_cursor).toBeNull();
    expect(page([], 2)).toEqual({ items: [], next_cursor: null });
  });
});

describe('instants in cursors', () => {
  let db: Knex;
  beforeAll(async () => void (db = createPool({ connectionString: (await testDatabase()).url })));
  afterAll(() => db.destroy());

  it('are exact to the microsecond', async () => {
    const { rows } = await db.raw<{ rows: unknown[] }>(
      `with made as (select timestamptz '1990-01-01' + random() * interval '80 years' as at from generate_series(1, 20000))
       select at from made where at <> ${instantOf('x').replaceAll(':x', microseconds('at'))}`,
    );
    expect(rows).toEqual([]);
    const [row] = (
      await db.raw<{ rows: { same: boolean }[] }>(`select ${instantOf('at')} = timestamptz '2026-11-20 19:00:00.123457Z' as same`, {
        at: 1_795_201_200_123_457,
      })
    ).rows;
    expect(row?.same).toBe(true);
  });
});
