import { expect, test } from 'vitest';
import { jsonOf, SHOWN_CHARACTERS, startOf } from './text.ts';

test('a long text is cut, and says so', async () => {
  expect(await startOf(new Blob(['short']))).toEqual({ text: 'short', isCut: false });
  const long = await startOf(new Blob(['ä'.repeat(SHOWN_CHARACTERS + 1)]));
  expect(long.isCut).toBe(true);
  expect(long.text).toHaveLength(SHOWN_CHARACTERS);
});

test('JSON is laid out; what is none is shown as it is', async () => {
  expect(await jsonOf(new Blob(['{"a":[1]}']))).toEqual({ text: '{\n  "a": [\n    1\n  ]\n}', isCut: false });
  expect(await jsonOf(new Blob(['{"a":']))).toEqual({ text: '{"a":', isCut: false });
});
