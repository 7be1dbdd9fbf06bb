// An upload whose API is killed in the middle goes on at another one, by the command line, where it was.
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeTool, type Tool } from '#cli/test/tool.ts';
import { createClient } from '#contract/client.ts';
import { MAX_PART_BYTES } from '#contract/wire/limits.ts';
import { openUpload } from '#contract/workspace/resume.ts';
import { newPlatformToken } from '#core/identity/secret.ts';
import { newId } from '#core/kernel/ids.ts';
import { hashSecret } from '#core/kernel/secret.ts';
import { type ApiProcess, startApiProcess } from '#test/support/api-process.ts';
import { testContext, type TestContext } from '#test/support/context.ts';
import { testDatabase, testTemporal } from '#test/support/servers.ts';

let first: ApiProcess;
let again: ApiProcess | undefined;
let t: TestContext;
let tool: Tool;
let token: string;
let folder: string;
let restart: () => Promise<ApiProcess>;

beforeAll(async () => {
  const servers = { databaseUrl: (await testDatabase()).url, temporal: await testTemporal() };
  first = await startApiProcess({}, { servers });
  const kept = { SVC_STATE_DIR: first.folder, SVC_SECRETS_DIR: join(first.folder, 'secrets') };
  restart = () => startApiProcess(kept, { servers });
  t = await testContext({ ...servers, folder: first.folder, hostSocket: first.hostSocket });
  const ada = await t.user('ada');
  token = newPlatformToken();
  const row = { token_id: newId('tok'), token_hash: hashSecret(token), kind: 'user' as const, user_id: ada.actor.user_id, agent_id: null, label: 'test' };
  await t.ctx.db('platform_tokens').insert(row);
  [tool, folder] = await Promise.all([makeTool(first.url, '/nowhere'), mkdtemp(join(tmpdir(), 'svc-uploads-'))]);
});
afterAll(async () => {
  for (const one of [first, again]) await one?.kill();
  await t.close();
  await rm(folder, { recursive: true, force: true });
});

test('the API is killed in the middle: what was kept is not sent again, and the file is whole', async () => {
  const bytes = randomBytes(3 * MAX_PART_BYTES);
  const file = join(folder, 'large.bin');
  await writeFile(file, bytes);
  const digest = (start: number, end: number): Promise<string> => Promise.resolve(createHash('sha256').update(bytes.subarray(start, end)).digest('hex'));
  const source = { path: 'big/large.bin', size_bytes: bytes.length, onlyNew: false, digest };
  const { upload_id } = await openUpload(createClient({ baseUrl: first.url, token }), source);
  // One request that never ends: after the first part the process is gone.
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(bytes.subarray(0, MAX_PART_BYTES + 1_000_000));
    },
  });
  const headers = {
    authorization: `Bearer ${token}`,
    'tus-resumable': '1.0.0',
    'upload-offset': '0',
    'content-type': 'application/offset+octet-stream',
  };
  const sent = fetch(`${first.url}/v1/me/uploads/${upload_id}`, { method: 'PATCH', headers, body, duplex: 'half' }).catch((error: unknown) => error);
  const received = async () => (await t.ctx.db('file_uploads').where({ upload_id }).first('received_bytes'))?.received_bytes;
  await expect.poll(received, { timeout: 30_000 }).toBe(MAX_PART_BYTES);
  first.process.kill('SIGKILL');
  expect(await sent).toBeInstanceOf(Error);

  again = await restart();
  const asked = await fetch(`${again.url}/v1/me/uploads/${upload_id}`, { method: 'HEAD', headers: { authorization: headers.authorization } });
  expect(asked.status).toBe(200);
  expect(Object.fromEntries(asked.headers)).toMatchObject({
    'tus-resumable': '1.0.0',
    'upload-offset': `${MAX_PART_BYTES}`,
    'upload-length': `${bytes.length}`,
    'cache-control': 'no-store',
  });
  const env = { SVC_API_URL: again.url, SVC_TOKEN: token };
  const put = await tool.run(['files', 'put', file, 'big/'], { env });
  expect(put).toMatchObject({ code: 0, out: 'big/large.bin\n' });
  expect(put.err.split('\n').slice(0, 2)).toEqual(['8 of 24 MiB', '24 of 24 MiB']);
  const stored = await createClient({ baseUrl: again.url, token }).files.list({ query: { prefix: 'big/' } });
  expect(stored.items).toMatchObject([{ path: 'big/large.bin', sha256: createHash('sha256').update(bytes).digest('hex') }]);
  // One upload from the beginning to the end.
  const rows = await t.ctx.db('file_uploads').select('upload_id', 'state');
  expect(rows).toEqual([{ upload_id, state: 'stored' }]);
});

test('another file of the same name and length begins anew', async () => {
  const api = createClient({ baseUrl: (again ?? first).url, token });
  const source = { path: 'big/other.bin', size_bytes: 10, onlyNew: false };
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  const begun = await openUpload(api, source);
  const headers = { 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' } as const;
  await api.fileUploads.append({ params: begun, headers, body: 'abc' });
  const of = (text: string) => openUpload(api, { ...source, digest: (start, end) => Promise.resolve(sha256(text.slice(start, end))) });
  expect((await of('abcdefghij')).upload_id).toBe(begun.upload_id);
  expect((await of('xbcdefghij')).upload_id).not.toBe(begun.upload_id);
});
