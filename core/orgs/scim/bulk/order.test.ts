import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isCircle, unitsOf } from './order.ts';
import { type BulkOperation, readBulkRequest } from './request.ts';

function operations(...all: [bulkId: string, ...refersTo: string[]][]): BulkOperation[] {
  const Operations = all.map(([bulkId, ...refersTo]) => ({ method: 'POST', path: '/Users', bulkId, data: refersTo.map((id) => `bulkId:${id}`) }));
  return readBulkRequest({ Operations }).operations;
}
const shown = (list: BulkOperation[]): string[] => unitsOf(list).map((unit) => unit.map(({ bulkId }) => bulkId).join('+'));

test.each<[string, [string, ...string[]][], string[]]>([
  ['as they stand', [['a'], ['b'], ['c']], ['a', 'b', 'c']],
  ['references backwards', [['a'], ['b', 'a'], ['c', 'a', 'b']], ['a', 'b', 'c']],
  ['what comes later is waited for', [['a', 'c'], ['b'], ['c']], ['b', 'c', 'a']],
  ['a chain', [['a', 'b'], ['b', 'c'], ['c']], ['c', 'b', 'a']],
  ['a circle', [['a', 'b'], ['x'], ['b', 'a']], ['a+b', 'x']],
  ['a circle that waits, and what waits for it', [['z', 'a'], ['a', 'b'], ['b', 'a', 'c'], ['c']], ['c', 'a+b', 'z']],
  ['itself', [['a', 'a'], ['b']], ['a', 'b']],
  ['what no operation makes', [['a', 'nothing'], ['b']], ['a', 'b']],
])('%s', (_, all, expected) => {
  expect(shown(operations(...all))).toEqual(expected);
});

test('a circle is one that refers to itself, or several', () => {
  expect(unitsOf(operations(['a', 'a'], ['b', 'a'], ['c', 'd'], ['d', 'c'])).map(isCircle)).toEqual([true, false, true]);
});

test('each once, and none before what it needs but in its circle', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  fc.assert(
    fc.property(fc.array(fc.subarray(names), { minLength: names.length, maxLength: names.length }), (references) => {
      const list = operations(...names.map((name, at): [string, ...string[]] => [name, ...(references[at] ?? [])]));
      const units = unitsOf(list);
      expect(units.flat().toSorted((a, b) => list.indexOf(a) - list.indexOf(b))).toEqual(list);
      const done = new Set<string>();
      for (const unit of units) {
        for (const { bulkId = '' } of unit) done.add(bulkId);
        for (const { refersTo } of unit) for (const id of refersTo) expect(done).toContain(id);
        for (const one of unit) for (const other of unit) expect(reaches(list, one, other)).toBe(unit.length > 1 || one.refersTo.has(other.bulkId ?? ''));
      }
    }),
  );
});

function reaches(list: BulkOperation[], from: BulkOperation, to: BulkOperation): boolean {
  const found = new Set<BulkOperation>();
  const next = (one: BulkOperation): BulkOperation[] => list.filter(({ bulkId = '' }) => one.refersTo.has(bulkId));
  const left = next(from);
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    if (found.has(one)) continue;
    found.add(one);
    left.push(...next(one));
  }
  return found.has(to);
}

test('a long chain and a large circle need no deep stack', () => {
  const names = Array.from({ length: 1_000 }, (_, at) => `n${at}`);
  const chain = operations(...names.map((name, at): [string, ...string[]] => (at === 999 ? [name] : [name, `n${at + 1}`])));
  expect(shown(chain)).toEqual(names.toReversed());
  const circle = operations(...names.map((name, at): [string, ...string[]] => [name, `n${(at + 1) % 1_000}`]));
  expect(unitsOf(circle)).toEqual([circle]);
});
