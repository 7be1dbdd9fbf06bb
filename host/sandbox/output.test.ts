import { describe, expect, it } from 'vitest';
import { createOutput } from './output.ts';

const all = (limit: number, ...pieces: string[]) => {
  const output = createOutput(limit);
  for (const piece of pieces) output.add(Buffer.from(piece));
  return output;
};

describe('output that is kept', () => {
  it('is whole up to the bound', () => {
    for (const text of ['', 'a', 'abcd', 'abcdefg', 'abcdefgh']) expect(all(8, text)).toMatchObject({ truncated: false });
    expect(all(8, 'abc', 'defgh').text()).toBe('abcdefgh');
    expect(all(8, 'abcde').text()).toBe('abcde');
  });

  it('is the first and the last half beyond it, however it came in', () => {
    const text = Array.from({ length: 1_000 }, (_, n) => String(n)).join(',');
    for (const size of [1, 3, 7, 64, 5_000]) {
      const pieces = text.match(new RegExp(`.{1,${size}}`, 'g')) ?? [];
      const output = all(64, ...pieces);
      expect(output.truncated).toBe(true);
      expect(output.text()).toBe(`${text.slice(0, 32)}\n[… ${text.length - 64} bytes left out …]\n${text.slice(-32)}`);
    }
  });

  it('never cuts a character in two', () => {
    for (let shift = 0; shift < 4; shift++) expect(all(64, 'a'.repeat(shift) + '€😀'.repeat(40)).text()).not.toContain('\ufffd');
  });
});
