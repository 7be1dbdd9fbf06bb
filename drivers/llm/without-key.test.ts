import { expect, test } from 'vitest';
import { textWithoutKey, withoutKey } from './without-key.ts';

const KEY = 'sk-0123456789abcdefghij';

async function* pieces(...texts: string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}
const passed = async (key: string | null, ...texts: string[]): Promise<string[]> => {
  const seen: string[] = [];
  for await (const piece of withoutKey(pieces(...texts), key)) seen.push(piece.toString());
  return seen;
};

test('a key is hidden wherever it stands, also where pieces of an answer meet; all else comes as it is, and at once', async () => {
  expect(await passed(KEY, `a ${KEY} b${KEY}`, KEY)).toEqual(['a [key] b[key]', '[key]']);
  expect(await passed(KEY, 'data: 1\n\n', 'it is sk-0', '1234', `56789abcdefghij. s`, 'sk-', 'x')).toEqual(['data: 1\n\n', 'it is ', '[key]. ', 's', 'sk-x']);
  for (let at = 1; at < KEY.length; at += 1) expect((await passed(KEY, `x${KEY.slice(0, at)}`, `${KEY.slice(at)}y`)).join('')).toBe('x[key]y');
  expect((await passed(KEY, ...`s${KEY}sk${KEY.slice(0, 9)}`.split(''))).join('')).toBe(`s[key]sk${KEY.slice(0, 9)}`);
});

test('an answer that ends with the beginning of a key says so: else keys were found letter by letter', async () => {
  expect((await passed(KEY, `no model ${KEY.slice(0, -1)}`)).join('')).toBe(`no model ${KEY.slice(0, -1)}`);
});

test('no key, and what local endpoints take as one, hides nothing', async () => {
  for (const key of [null, '', 'ollama']) {
    expect(await passed(key, 'ollama is sk-', 'x')).toEqual(['ollama is sk-', 'x']);
    expect(textWithoutKey('ollama', key)).toBe('ollama');
  }
  expect(textWithoutKey(`req_${KEY}`, KEY)).toBe('req_[key]');
});
