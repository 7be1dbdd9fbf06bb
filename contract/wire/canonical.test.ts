import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, CanonicalJsonError } from './canonical.ts';
import { canonicalSha256 } from '../crypto/sha256.ts';

/** The same value with every object's members in reverse order of insertion. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

const wellFormed = fc.jsonValue({ stringUnit: 'binary' });

describe('canonical JSON (RFC 8785)', () => {
  it('says the same value', () => {
    fc.assert(
      fc.property(wellFormed, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('is a fixed point: reading and writing again changes nothing', () => {
    fc.assert(
      fc.property(wellFormed, (value) => {
        expect(canonicalJson(JSON.parse(canonicalJson(value)))).toBe(canonicalJson(value));
      }),
    );
  });

  it('does not depend on the order of members', () => {
    fc.assert(
      fc.property(wellFormed, (value) => {
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
      }),
    );
  });

  it("gives the RFC's own example, byte for byte", () => {
    const value = {
      numbers: [333333333.3333333, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: '€$\u000f\nA\'B"\\\\"/',
      literals: [null, true, false],
    };
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it("sorts by code unit, as the RFC's sorting example", () => {
    const value = { '€': 'Euro', '\r': 'CR', '\ufb33': 'Hebrew', '1': 'One', '😀': 'Emoji', '\u0080': 'Control', ö: 'o' };
    expect(Object.values(JSON.parse(canonicalJson(value)))).toHaveLength(7);
    expect(canonicalJson(value)).toBe('{"\\r":"CR","1":"One","\u0080":"Control","ö":"o","€":"Euro","😀":"Emoji","\ufb33":"Hebrew"}');
  });

  it('leaves out undefined members and writes -0 as 0', () => {
    expect(canonicalJson({ a: undefined, b: -0 })).toBe('{"b":0}');
  });

  it.each([
    ['NaN', Number.NaN],
    ['infinity', { a: Number.POSITIVE_INFINITY }],
    ['a lone surrogate', ['\ud800']],
    ['a lone surrogate in a name', { '\udc00': 1 }],
    ['a bigint', 1n],
    ['undefined', undefined],
    ['undefined in a list', [undefined]],
    ['a date', { at: new Date(0) }],
    ['a map', new Map()],
  ])('refuses %s', (_, value) => {
    expect(() => canonicalJson(value)).toThrow(CanonicalJsonError);
  });

  it('refuses a cycle instead of overflowing the stack', () => {
    const value: { self?: unknown } = {};
    value.self = value;
    expect(() => canonicalJson(value)).toThrow(/cycle/);
  });

  it('hashes the canonical text', () => {
    expect(canonicalSha256({ b: 1, a: 2 })).toBe(canonicalSha256({ a: 2, b: 1 }));
    expect(canonicalSha256({})).toBe('44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a');
  });
});
