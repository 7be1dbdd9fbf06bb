import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isRawNumber, NumberOutOfRange, parseExact, parseKeepingDigits } from './exact-json.ts';

const wrapped = (source: string) => `{"a":[{"b":${source}}],"text":"9007199254740993 1e999"}`;

it.each([
  '9007199254740993',
  '-9007199254740993',
  '1000000000000000000000000000000',
  '18446744073709551615',
  '1e400',
  '-1e309',
  '1e-400',
  '0.1234567890123456789',
  '3.14159265358979323846',
])('refuses %s, which would arrive as another number', (source) => {
  expect(() => parseExact(wrapped(source))).toThrow(NumberOutOfRange);
  expect(() => parseExact(source)).toThrow(source.slice(0, 20));
});

it.each([
  '9007199254740991',
  '-9007199254740991',
  '0',
  '-0',
  '1.0',
  '1e3',
  '1E-7',
  '0.1',
  '0.10000000000000001',
  '1e300',
  '100000000000000000000',
  '5e-324',
  '0e5',
  '0.000',
  '123456789.000000000000000000',
])('takes %s', (source) => {
  expect(parseExact(wrapped(source))).toEqual(JSON.parse(wrapped(source)));
});

it('takes whatever JavaScript wrote, and of whole numbers only those whose digits come back', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      expect(parseExact(text)).toEqual(JSON.parse(text));
    }),
  );
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }), (whole) => {
      const back = (() => {
        try {
          return String(parseExact(String(whole)));
        } catch (error) {
          expect(error).toBeInstanceOf(NumberOutOfRange);
          return undefined;
        }
      })();
      if (back !== undefined) expect(back).toBe(String(whole));
      if (whole >= -(2n ** 53n) + 1n && whole < 2n ** 53n) expect(back).toBeDefined();
    }),
  );
});

it('keeps the digits of what is passed on', () => {
  const text = '{"maximum":18446744073709551615,"of":[1e999,0.12345678901234567890,1.5,"1e999"]}';
  expect(JSON.stringify(parseKeepingDigits(text))).toBe(text);
  expect([parseKeepingDigits('18446744073709551615'), parseKeepingDigits('1234567890123456')].map(isRawNumber)).toEqual([true, false]);
});
