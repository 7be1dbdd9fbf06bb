import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ends } from '#test/support/ends.ts';
import { coveredBy, escapeFrom, isPath, isPattern, isPrefix, isPrefixWithin, isUnder, isWithin, matchesAny, matcher, type Region } from './patterns.ts';

/** The rules once more, in the plainest way: by trying everything. */
function naiveMatch(pattern: readonly string[], path: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return path.length === 0;
  if (first === '**') {
    if (rest.length === 0) return path.length > 0;
    return naiveMatch(rest, path) || (path.length > 0 && naiveMatch(pattern, path.slice(1)));
  }
  const [segment, ...others] = path;
  return segment !== undefined && naiveSegment(first, segment) && naiveMatch(rest, others);
}
function naiveSegment(pattern: string, text: string): boolean {
  if (pattern === '') return text === '';
  if (pattern[0] === '*') return naiveSegment(pattern.slice(1), text) || (text !== '' && naiveSegment(pattern, text.slice(1)));
  return text !== '' && (pattern[0] === '?' || pattern[0] === text[0]) && naiveSegment(pattern.slice(1), text.slice(1));
}
const naive = (patterns: readonly string[], path: string): boolean => patterns.some((pattern) => naiveMatch(pattern.split('/'), path.split('/')));
const naiveRegion = (region: Region, path: string): boolean => naive(region.allow, path) && !naive(region.deny, path);

/** Every path of at most `length` characters over the alphabet. */
function everyPath(alphabet: string, length: number): string[] {
  const all: string[] = [];
  let last = [''];
  for (let n = 0; n < length; n += 1) {
    last = last.flatMap((text) => Array.from(alphabet).map((letter) => text + letter));
    all.push(...last);
  }
  return all.filter(isPath);
}
// "c" is in no pattern: it stands for all letters that no pattern names.
const PATHS = everyPath('abc./', 5);

const segment = fc.oneof(
  { weight: 2, arbitrary: fc.constant('**') },
  { weight: 5, arbitrary: fc.string({ unit: fc.constantFrom('a', 'b', '.', '*', '?'), minLength: 1, maxLength: 3 }) },
);
const pattern = fc
  .array(segment, { minLength: 1, maxLength: 3 })
  .map((segments) => segments.join('/'))
  .filter(isPattern);
const patterns = (most: number) => fc.array(pattern, { maxLength: most });

describe('paths', () => {
  it.each(['a', 'a/b', '.env', '.git/config', '...', 'a b', 'ü/é', '日本/📄', "it's [x] {y} !z"])('%j is one', (text) => void expect(isPath(text)).toBe(true));
  it.each([
    '', '/', '/a', 'a/', 'a//b', '.', '..', './a', 'a/..', 'a/./b', 'a/../b', 'a\\b', 'a\0', 'a\n', '\u007f', 'a\u0085', 'e\u0301', '\u202eexe.txt', 'a\u2028b', '\ud800', 'a*', 'a?', 'x'.repeat(1025),
  ])('%j is none', (text) => void expect(isPath(text)).toBe(false)); // prettier-ignore

  it('are measured in characters, not in units of an encoding', () => {
    expect(isPath('📄'.repeat(1024))).toBe(true);
    expect(isPath('📄'.repeat(1025))).toBe(false);
    expect(isPattern('📄'.repeat(256))).toBe(true);
    expect(isPattern('📄'.repeat(257))).toBe(false);
  });
});

describe('patterns', () => {
  it.each(['**', '*', '?', 'a/**/b', '**/**', 'a*b?', '.env*', '[a]{b}!'])('%j is one', (text) => void expect(isPattern(text)).toBe(true));
  it.each(['', '/**', '**/', 'a//**', '../**', 'a**', '**.pem', '***', 'a\\*', './*'])('%j is none', (text) => void expect(isPattern(text)).toBe(false));

  it.each([
    ['**', ['a', 'a/b/c', '.git/config'], []],
    ['*', ['a', '.env'], ['a/b']],
    ['*.pem', ['x.pem', '.pem'], ['d/x.pem', 'x.PEM']],
    ['**/*.pem', ['x.pem', 'a/b/x.pem'], ['x.pem/a']],
    ['a/**', ['a/b', 'a/b/c'], ['a', 'ab/c']],
    ['**/a/**', ['a/b', 'x/a/b', 'x/y/a/b/c'], ['a', 'x/a', 'ba/c']],
    ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b'], ['a', 'b', 'a/b/c', 'ab']],
    ['**/**', ['a', 'a/b'], []],
    ['a*b?', ['abx', 'axxbb', 'abbb'], ['ab', 'ab/x', 'a/bx']],
    ['?', ['a', '📄', 'é'], ['ab']],
    ['a[b]', ['a[b]'], ['ab']],
  ])('%j matches as said', (text, yes, no) => {
    for (const path of yes) expect(matchesAny([text], path), path).toBe(true);
    for (const path of no) expect(matchesAny([text], path), path).toBe(false);
  });

  it('match what trying everything matches', () => {
    fc.assert(
      fc.property(patterns(3), (some) => {
        const matches = matcher(some);
        for (const path of PATHS) if (matches(path) !== naive(some, path)) throw new Error(`${JSON.stringify(some)} on ${path}: ${matches(path)}`);
      }),
      { numRuns: 60 },
    );
  });

  it('a path is its own pattern, and matches nothing else', () => {
    for (const path of PATHS.slice(0, 100)) expect(PATHS.filter(matcher([path]))).toEqual([path]);
  });

  it('what is no path matches nothing, and what is no pattern matches nothing', () => {
    for (const text of ['../a', '/a', 'a/../b', 'a//b', '', 'a\0']) expect(matchesAny(['**'], text)).toBe(false);
    for (const text of ['a**', '', '../**', '/**']) expect(matchesAny([text], 'a')).toBe(false);
  });

  it('take time in proportion to the path, however they are built to take more', () => {
    const hostile = ['a*'.repeat(127) + 'b', '**/a/'.repeat(50) + 'b', '*?'.repeat(127), '?*a'.repeat(85), '*a'.repeat(127) + 'c'];
    const paths = ['a'.repeat(1024), 'a/'.repeat(511) + 'a', 'aa/'.repeat(341) + 'a'];
    for (const text of hostile) {
      expect(isPattern(text), text).toBe(true);
      for (const path of paths) ends(() => matchesAny([text], path));
    }
    const many = matcher(Array.from({ length: 64 }, (_, n) => `${'*a'.repeat(n + 1)}b`));
    for (const path of paths) ends(() => many(path));
  });
});

describe('containment of patterns', () => {
  it('is what trying everything says: never more, and never less where paths of five letters show it', () => {
    fc.assert(
      fc.property(fc.record({ allow: patterns(3), deny: patterns(2) }), fc.record({ allow: patterns(3), deny: patterns(2) }), (inner, outer) => {
        const found = escapeFrom(inner, outer);
        expect(found).not.toBeUndefined();
        if (typeof found === 'string') {
          expect(isPath(found)).toBe(true);
          expect([naiveRegion(inner, found), naiveRegion(outer, found)]).toEqual([true, false]);
        } else {
          const escaped = PATHS.find((path) => naiveRegion(inner, path) && !naiveRegion(outer, path));
          expect(escaped).toBeUndefined();
        }
      }),
      { numRuns: 150 },
    );
  });

  it.each<[string[], string[], boolean]>([
    [['**/a/**'], ['**'], true],
    [['a/**'], ['a/*', 'a/*/**'], true],
    [['a/**'], ['a/*'], false],
    [['**'], ['*', '*/**'], true],
    [['**'], ['*', '*/*'], false],
    [['*'], ['?', '??*'], true],
    [['a*b?'], ['a*'], true],
    [['a*b?'], ['*b?'], true],
    [['a*b?'], ['a*b'], false],
    [['**/a/**'], ['**/a/*', '**/a/**/*'], true],
    [['.*'], ['*'], true],
    // "." and ".." are no segments, so nothing is missing.
    [['??'], ['?*'], true],
    [['.env'], ['.env*'], true],
    [['**/x'], ['x', '*/x', '*/*/**/x'], true],
    [['**/x'], ['x', '*/**/y/x', '*/x'], false],
    [[], [], true],
    [['a'], [], false],
  ])('%j in %j: %s', (inner, outer, expected) => void expect(coveredBy(inner, outer)).toBe(expected));

  it('counts what is denied', () => {
    expect(isWithin({ allow: ['**'], deny: ['**/.env*'] }, { allow: ['**'], deny: ['**/.env'] })).toBe(true);
    expect(isWithin({ allow: ['**'], deny: ['**/.env'] }, { allow: ['**'], deny: ['**/.env*'] })).toBe(false);
    expect(isWithin({ allow: ['docs/**'], deny: [] }, { allow: ['**'], deny: ['secrets/**'] })).toBe(true);
    expect(escapeFrom({ allow: ['docs/**'], deny: [] }, { allow: ['docs/*'], deny: [] })).toMatch(/^docs\/.+\//);
  });

  it('says no where it cannot be decided in time, and in time', () => {
    const intricate = Array.from({ length: 64 }, (_, n) => `*${'ab'[n % 2]}${'?'.repeat(40 + n)}`);
    const wider = intricate.map((text) => `*${text.slice(1)}`);
    expect(ends(() => coveredBy(['*a*b*', '?*a'], intricate))).toBe(false);
    expect(ends(() => coveredBy(intricate, wider))).toBe(true);
    const [inner, outer] = [
      { allow: ['**/*a*'], deny: intricate },
      { allow: [`**/*a*${'?'.repeat(30)}`, '**/*?'], deny: intricate.slice(1) },
    ];
    expect(ends(() => escapeFrom(inner, outer))).not.toBeNull();
    expect(coveredBy(['not//valid'], ['**'])).toBe(false);
  });
});

describe('folders to write into', () => {
  it('are whole segments', () => {
    expect(isUnder('out', 'out/a')).toBe(true);
    expect(isUnder('out/', 'out/a/b')).toBe(true);
    expect(isUnder('out', 'output/a')).toBe(false);
    expect(isUnder('out', 'out')).toBe(false);
    expect(isPrefixWithin('out/a', 'out')).toBe(true);
    expect(isPrefixWithin('out/', 'out')).toBe(true);
    expect(isPrefixWithin('output', 'out')).toBe(false);
    expect(isPrefixWithin('out', 'out/a')).toBe(false);
  });
  it.each(['', '/', '/out', '../out', 'out//', 'o*', 'x'.repeat(254)])('%j is none', (text) => void expect(isPrefix(text)).toBe(false));
});
