import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ends } from '#test/support/ends.ts';
import { BadRequest } from '../../../kernel/errors.ts';
import { filterText } from '../test/filter-text.ts';
import { type Filter, parseFilter } from './parse.ts';

const eq = (path: string, value: string | boolean | number | null): Filter => ({ op: 'compare', operator: 'eq', path, value });

describe('parseFilter', () => {
  it.each<[string, Filter]>([
    ['userName eq "bjensen"', eq('userName', 'bjensen')],
    ['USERNAME EQ "a \\"b\\" \\u00e9 \\\\"', eq('USERNAME', 'a "b" é \\')],
    ['active eq True', eq('active', true)],
    ['title pr', { op: 'pr', path: 'title' }],
    ['a eq 1.5', eq('a', 1.5)],
    ['a eq -2', eq('a', -2)],
    ['a ne null', { op: 'compare', operator: 'ne', path: 'a', value: null }],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName sw "J"', { op: 'compare', operator: 'sw', path: 'urn:ietf:params:scim:schemas:core:2.0:User:userName', value: 'J' }],
    ['a eq "1" or b eq "2" and c eq "3"', { op: 'or', filters: [eq('a', '1'), { op: 'and', filters: [eq('b', '2'), eq('c', '3')] }] }],
    ['(a eq "1" or b eq "2") and c eq "3"', { op: 'and', filters: [{ op: 'or', filters: [eq('a', '1'), eq('b', '2')] }, eq('c', '3')] }],
    ['not (a pr) and b pr', { op: 'and', filters: [{ op: 'not', filter: { op: 'pr', path: 'a' } }, { op: 'pr', path: 'b' }] }],
    ['emails[type eq "work" and value co "@x.y"]', { op: 'some', path: 'emails', filter: { op: 'and', filters: [eq('type', 'work'), { op: 'compare', operator: 'co', path: 'value', value: '@x.y' }] } }],
    ['emails[type eq "work"].value eq "a@x.y"', { op: 'some', path: 'emails', filter: { op: 'and', filters: [eq('type', 'work'), eq('value', 'a@x.y')] } }],
    ['a eq "]) and ("', eq('a', ']) and (')],
  ])('%s', (text, filter) => {
    expect(parseFilter(text)).toEqual(filter);
  }); // prettier-ignore

  it.each([
    '', ' ', 'userName', 'userName eq', 'userName eq bjensen', 'userName is "x"', 'eq "x"', '"x" eq "x"', 'a eq "x" b eq "y"', 'a eq "x" and', 'and a pr',
    '(a pr', 'a pr)', 'emails[type eq "work"', 'emails[]', 'not a pr', 'a eq "open', 'a eq {}', 'a eq [1]', 'a eq "\u0001"', 'a eq "\\u0000"', 'a co "x\\u0000y"', 'a sw "\\ud800"', 'a eq "\\x"', 'a eq NaN',
    'emails[type eq "work"].value', "a eq 'x'", 'a pr or or b pr',
  ])('refuses %j', (text) => {
    expect(() => parseFilter(text)).toThrow(BadRequest);
  }); // prettier-ignore

  it('bounds length, depth and the number of comparisons', () => {
    const deep = (n: number): string => `${'('.repeat(n)}a pr${')'.repeat(n)}`;
    const refused = ['x'.repeat(100_000), deep(21), deep(10_000), `${'not ('.repeat(600)}a pr${')'.repeat(600)}`, `${'a['.repeat(800)}b pr${']'.repeat(800)}`, Array(51).fill('a pr').join(' or ')]; // prettier-ignore
    for (const text of refused) expect(() => parseFilter(text)).toThrow(/^The filter cannot be used/);
    expect(parseFilter(deep(19))).toEqual({ op: 'pr', path: 'a' });
    expect(parseFilter(Array(50).fill('a pr').join(' or '))).toMatchObject({ op: 'or' });
  });

  it('reads back whatever filter was written', () => {
    const path = fc.constantFrom('userName', 'name.givenName', 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department', 'emails.value');
    // No value has U+0000: a filter with one is refused.
    const binary = fc.string({ unit: 'binary' }).filter((value) => !value.includes('\0'));
    const value = fc.oneof(fc.string(), binary, fc.boolean(), fc.integer(), fc.constant(null));
    const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
      filter: fc.oneof(
        { maxDepth: 4 },
        fc.record({ op: fc.constant('pr' as const), path }),
        fc.record({ op: fc.constant('compare' as const), operator: fc.constantFrom('eq', 'ne', 'co', 'gt', 'le'), path, value }),
        fc.record({ op: fc.constant('not' as const), filter: tie('filter') }),
        fc.record({ op: fc.constantFrom('and', 'or'), filters: fc.array(tie('filter'), { minLength: 2, maxLength: 3 }) }),
        fc.record({ op: fc.constant('some' as const), path: fc.constant('emails'), filter: tie('filter') }),
      ),
    }));
    fc.assert(
      fc.property(filter, (written) => {
        const text = filterText(written);
        fc.pre(text.length <= 4_096 && text.split(/ (?:pr|eq|ne|co|gt|le)\b/).length <= 50);
        expect(flat(parseFilter(text))).toEqual(flat(written));
      }),
      { numRuns: 500 },
    );
  });

  it('answers or refuses any text', () => {
    const word = fc.constantFrom('(', ')', '[', ']', '"', '\\', ' and ', ' or ', 'not ', 'a', ' eq ', ' pr', '"x"', '.', ':', '1', ' ', '\n', 'é');
    fc.assert(
      fc.property(fc.array(word, { maxLength: 400 }), (words) => {
        try {
          ends(() => parseFilter(words.join('')));
        } catch (error) {
          expect(error).toBeInstanceOf(BadRequest);
        }
      }),
      { numRuns: 500 },
    );
  });
});

/** Parentheses leave nothing behind. */
function flat(filter: Filter): unknown {
  if (filter.op === 'and' || filter.op === 'or') return { op: filter.op, filters: filter.filters.map(flat) };
  return filter.op === 'not' || filter.op === 'some' ? { ...filter, filter: flat(filter.filter) } : filter;
}
