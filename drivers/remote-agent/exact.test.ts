import { expect, it } from 'vitest';
import { exactly } from './exact.ts';

const read = (type: string, text: string) =>
  exactly(async () => new Response(text, { headers: { 'content-type': type } }))('http://a.test/x').then((response) => response.text());
const result = (id: string) => `{"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"id":${id}}}}`;

it('breaks an answer off that has a number nobody could read, whole or streamed, and lets every other one pass as it is', async () => {
  for (const [type, frame] of [
    ['application/json', (text: string) => text],
    ['text/event-stream; charset=utf-8', (text: string) => `id: 12345678901234567890\ndata: ${text}\n\n`],
  ] as const) {
    // prettier-ignore
    await expect(read(type, frame(result('9007199254740993')))).rejects.toMatchObject({ code: 'remote_failed', message: expect.stringContaining('9007199254740993') });
    for (const text of [
      frame(result('9007199254740991')),
      frame(result('"9007199254740993"')),
      frame('{"result":{"tools":[{"maximum":18446744073709551615}]}}'),
    ])
      expect(await read(type, text)).toBe(text);
  }
  expect(await read('text/plain', '9007199254740993')).toBe('9007199254740993');
});
