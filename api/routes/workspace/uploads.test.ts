// Two tabs that send one large file: what one has sent the other does not send again, and the file is there
// once. And names and bytes of files in any encoding.
import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '#contract/client.ts';
import { uploadInParts } from '#contract/workspace/resume.ts';
import { createWorld, type World } from '#test/api/world.ts';

let world: World;
beforeAll(async () => void (world = await createWorld()));
afterAll(() => world.close());

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

test('two senders of one file share one upload, and both see it stored', async () => {
  const api = createClient({ baseUrl: world.url, token: world.tokens.ada });
  const bytes = randomBytes(40 * 1024 * 1024);
  const source = {
    path: 'big/both.bin',
    size_bytes: bytes.length,
    onlyNew: true,
    digest: (start: number, end: number) => Promise.resolve(sha256(bytes.subarray(start, end))),
  };
  const headers = { 'tus-resumable': '1.0.0', 'content-type': 'application/offset+octet-stream' } as const;
  const uploads = new Set<string>();
  let sends = 0;
  let second: Promise<void> | undefined;
  const tab = (): Promise<void> =>
    uploadInParts(api, source, {
      onOpened: (upload_id) => void uploads.add(upload_id),
      onReceived: (received) => {
        if (received > 0) second ??= tab();
      },
      send: async (upload_id, start, end) => {
        sends += 1;
        await api.fileUploads.append({
          params: { upload_id },
          headers: { ...headers, 'upload-offset': `${start}` },
          body: new Blob([bytes.subarray(start, end)]),
        });
      },
    });
  await tab();
  await second;
  expect([uploads.size, second === undefined]).toEqual([1, false]);
  // Three parts; a sender that comes late to one sends it in vain.
  expect(sends).toBeLessThanOrEqual(6);
  const { items } = await world.as('ada').files.list({ query: { prefix: 'big/' } });
  expect(items).toMatchObject([{ path: 'big/both.bin', size_bytes: bytes.length, sha256: sha256(bytes) }]);
});

test("a file's name that is not UTF-8 is refused; one in any script is kept, and its bytes are whatever they are", async () => {
  const send = async (filename: string, content: string) => {
    const head = `--x\r\ncontent-disposition: form-data; name="file"; filename="${filename}"\r\ncontent-type: application/octet-stream\r\n\r\n`;
    const body = Buffer.from(`${head}${content}\r\n--x--\r\n`, 'latin1');
    const headers = { authorization: `Bearer ${world.tokens.ada}`, 'content-type': 'multipart/form-data; boundary=x' };
    const response = await fetch(`${world.url}/v1/me/files`, { method: 'POST', headers, body });
    return { status: response.status, text: await response.text() };
  };
  expect(await send('a\xff.txt', 'x')).toMatchObject({ status: 422, text: expect.stringContaining('UTF-8') });
  const kept = await send(Buffer.from('grüß.bin').toString('latin1'), '\xff\xfe\x00');
  expect(kept.status).toBeLessThan(300);
  expect(kept.text).toContain('grüß.bin');
  const bytes = await fetch(`${world.url}/v1/me/files/gr%C3%BC%C3%9F.bin`, { headers: { authorization: `Bearer ${world.tokens.ada}` } });
  expect(bytes.status === 200 ? [...new Uint8Array(await bytes.arrayBuffer())] : bytes.status).toEqual([0xff, 0xfe, 0]);
});
