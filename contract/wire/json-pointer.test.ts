import { expect, test } from 'vitest';
import { atPointer, atReference, pointerSteps, pointerTo, referenceSteps } from './json-pointer.ts';

/** The document and the pointers of RFC 6901, sections 5 and 6. */
const RFC = { foo: ['bar', 'baz'], '': 0, 'a/b': 1, 'c%d': 2, 'e^f': 3, 'g|h': 4, 'i\\j': 5, 'k"l': 6, ' ': 7, 'm~n': 8 };

test.each([
  ['', '#', RFC],
  ['/foo', '#/foo', RFC.foo],
  ['/foo/0', '#/foo/0', 'bar'],
  ['/', '#/', 0],
  ['/a~1b', '#/a~1b', 1],
  ['/c%d', '#/c%25d', 2],
  ['/e^f', '#/e%5Ef', 3],
  ['/g|h', '#/g%7Ch', 4],
  ['/i\\j', '#/i%5Cj', 5],
  ['/k"l', '#/k%22l', 6],
  ['/ ', '#/%20', 7],
  ['/m~0n', '#/m~0n', 8],
])('%j and %j lead where RFC 6901 says', (pointer, reference, value) => {
  expect(atPointer(RFC, pointer)).toEqual(value);
  expect(atReference(RFC, reference)).toEqual(value);
  expect(pointerTo(pointerSteps(pointer) ?? ['none'])).toBe(pointer);
});

test('a pointer as text is not percent-decoded, and what is escaped is read once', () => {
  expect(pointerSteps('/%24defs/~01')).toEqual(['%24defs', '~1']);
  expect(referenceSteps('#/%24defs/%7E01')).toEqual(['$defs', '~1']);
});

test('what leads nowhere: anchors, other documents, inherited members, places that no list has', () => {
  for (const pointer of ['foo', '#/foo']) expect(atPointer(RFC, pointer), pointer).toBeUndefined();
  for (const reference of [
    '#foo',
    'other.json#/foo',
    '/foo',
    '#/foo/2',
    '#/foo/00',
    '#/foo/-',
    '#/foo/length',
    '#/constructor',
    '#/__proto__',
    '#/foo/0/length',
  ])
    expect(atReference(RFC, reference), reference).toBeUndefined();
});

test('a percent sign that begins no escape stands for itself', () => {
  expect(referenceSteps('#/100%')).toEqual(['100%']);
  expect(referenceSteps('#/a%ffb')).toEqual(['a%ffb']);
});
