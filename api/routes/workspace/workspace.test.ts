// Files, files under a grant and artifacts over HTTP, through the typed client and as raw as an attacker may
// be.
import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MAX_FILE_BYTES } from '#contract/wire/limits.ts';
import { artifactUri, LINK_SECONDS } from '#core/runs/artifact/link.ts';
import { storeBlob } from '#core/workspace/blob/store.ts';
import { newId } from '#core/kernel/ids.ts';
import { verifies } from '#test/spec/verifies.ts';
import { createWorld, type World } from '#test/api/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const refused = (status: number, code?: string) => expect.objectContaining({ status, ...(code === undefined ? {} : { code }) });
const upload = (who: 'ada' | 'ben', path: string, content: string | Blob, headers: Record<string, string> = {}, type = '') => {
  const body = new FormData();
  body.set('path', path);
  body.set('file', typeof content === 'string' ? new Blob([content], { type }) : content, 'name');
  return world.as(who).files.upload({ body, headers });
};
const get = (path: string, headers: Record<string, string> = {}, who: 'ada' | 'ben' = 'ada') => world.as(who).files.get({ params: { path } }, { headers });
/** As fetch does not send it: the path byte for byte. */
const raw = async (path: string, more: string[] = [], method = 'GET'): Promise<string> => {
  const { hostname, port } = new URL(world.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write([`${method} ${path} HTTP/1.1`, 'host: x', `authorization: Bearer ${world.tokens.ada}`, 'connection: close', ...more, '', ''].join('\r\n'));
  let answer = '';
  for await (const bytes of socket) answer += String(bytes);
  return answer;
};

verifies('files.upload', 'stores a file in the bucket of the caller', async () => {
  expect(await upload('ada', 'up/a.txt', 'hello')).toMatchObject({ path: 'up/a.txt', mime_type: 'text/plain', file_type: 'text', size_bytes: 5 });
  expect(await (await get('up/a.txt')).text()).toBe('hello');
  await expect(get('up/a.txt', {}, 'ben')).rejects.toEqual(refused(404, 'file_not_found'));
  await upload('ben', 'up/a.txt', 'bens own');
  expect(await (await get('up/a.txt')).text()).toBe('hello');
});

verifies('files.upload', 'If-None-Match and If-Match make it conditional', async () => {
  await upload('ada', 'cond', 'one', { 'if-none-match': '*' });
  await expect(upload('ada', 'cond', 'two', { 'if-none-match': '*' })).rejects.toEqual(refused(412, 'file_exists'));
  await expect(upload('ada', 'cond', 'two', { 'if-match': '"other"' })).rejects.toEqual(refused(412, 'changed_meanwhile'));
});

test('[files.upload] what is larger than a file may be is 413, before all of it is kept', async () => {
  const large = new Blob([new Uint8Array(MAX_FILE_BYTES + 1)]);
  await expect(upload('ada', 'large', large)).rejects.toEqual(refused(413, 'content_too_large'));
  await expect(get('large')).rejects.toEqual(refused(404));
});

verifies('files.upload', 'an upload that breaks off stores nothing', async () => {
  const body =
    '--b\r\ncontent-disposition: form-data; name="path"\r\n\r\nbroken\r\n--b\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\nhalf';
  const { hostname, port } = new URL(world.url);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  await once(socket, 'connect');
  const head = [
    'POST /v1/me/files HTTP/1.1',
    'host: x',
    `authorization: Bearer ${world.tokens.ada}`,
    'content-type: multipart/form-data; boundary=b',
    'content-length: 9999',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
  await expect.poll(() => world.logs.some((line) => line.includes('"cut":true') && line.includes('POST /v1/me/files'))).toBe(true);
  await expect(get('broken')).rejects.toEqual(refused(404));
  expect(world.logs.filter((line) => line.includes('a request failed'))).toEqual([]);
});

verifies('files.list', 'by path, page by page, by beginning and type', async () => {
  for (const path of ['list/a.png', 'list/b.txt', 'list/c.txt']) await upload('ada', path, 'x');
  const { files } = world.as('ada');
  const first = await files.list({ query: { prefix: 'list/', limit: 2 } });
  expect(first.items.map(({ path }) => path)).toEqual(['list/a.png', 'list/b.txt']);
  const rest = await files.list({ query: { prefix: 'list/', limit: 2, cursor: first.next_cursor ?? '' } });
  expect([rest.items.map(({ path }) => path), rest.next_cursor]).toEqual([['list/c.txt'], null]);
  expect((await files.list({ query: { prefix: 'list/', type: 'image' } })).items).toHaveLength(1);
  expect((await world.as('ben').files.list({ query: { prefix: 'list/' } })).items).toEqual([]);
  await expect(files.list({ query: { cursor: 'x' } })).rejects.toEqual(refused(400, 'bad_cursor'));
});

verifies('files.move', 'renames one object inside the bucket; 409 when the path is taken, unless overwrite is set', async () => {
  const { files } = world.as('ada');
  const { etag } = await upload('ada', 'move/a', 'a');
  await upload('ada', 'move/b', 'b');
  await expect(files.move({ body: { from: 'move/a', to: 'move/b' } })).rejects.toEqual(refused(409, 'path_taken'));
  await expect(files.move({ body: { from: 'move/a', to: 'move/b', overwrite: true, if_match: '"x"' } })).rejects.toEqual(refused(412));
  expect(await files.move({ body: { from: 'move/a', to: 'move/b', overwrite: true, if_match: etag } })).toMatchObject({ path: 'move/b', etag });
  await expect(files.move({ body: { from: 'move/a', to: 'move/c' } })).rejects.toEqual(refused(404));
  await expect(files.move({ body: { from: 'move/b', to: '../c' } })).rejects.toEqual(refused(422));
});

verifies('files.remove', 'deletes; on condition when asked', async () => {
  const { files } = world.as('ada');
  await upload('ada', 'gone', 'x');
  await expect(files.remove({ params: { path: 'gone' }, headers: { 'if-match': '"x"' } })).rejects.toEqual(refused(412));
  await files.remove({ params: { path: 'gone' } });
  await expect(files.remove({ params: { path: 'gone' } })).rejects.toEqual(refused(404));
});

describe('reading', () => {
  const content = '0123456789';
  beforeAll(async () => void (await upload('ada', 'range.txt', content)));

  verifies('files.get', 'a range is 206 with its place; one outside is 416 with the length', async () => {
    for (const [range, body, place] of [
      ['bytes=0-0', '0', '0-0'],
      ['bytes=2-4', '234', '2-4'],
      ['bytes=7-', '789', '7-9'],
      ['bytes=-3', '789', '7-9'],
      ['bytes=-99', content, '0-9'],
      ['bytes=5-99', '56789', '5-9'],
    ] as const) {
      const response = await get('range.txt', { range });
      expect([response.status, response.headers.get('content-range'), response.headers.get('content-length'), await response.text()], range).toEqual([
        206,
        `bytes ${place}/10`,
        String(body.length),
        body,
      ]);
    }
    for (const range of ['bytes=10-', 'bytes=99-100', 'bytes=-0']) {
      await expect(get('range.txt', { range }), range).rejects.toEqual(refused(416, 'range_not_satisfiable'));
      expect(await raw('/v1/me/files/range.txt', [`range: ${range}`])).toMatch(/content-range: bytes \*\/10/i);
    }
    for (const range of ['bytes=4-2', 'bytes=0-1,3-4', 'lines=1-2', 'bytes=a-b', 'bytes=', 'bytes=-']) {
      const response = await get('range.txt', { range });
      expect([response.status, await response.text()], range).toEqual([200, content]);
    }
  });

  verifies('files.get', 'a part is asked for only as long as the file is the same', async () => {
    const whole = await get('range.txt');
    const [etag, modified] = [whole.headers.get('etag') ?? '', whole.headers.get('last-modified') ?? ''];
    expect((await get('range.txt', { range: 'bytes=0-0', 'if-range': etag })).status).toBe(206);
    expect((await get('range.txt', { range: 'bytes=0-0', 'if-range': modified })).status).toBe(206);
    expect((await get('range.txt', { range: 'bytes=0-0', 'if-range': '"other"' })).status).toBe(200);
    expect((await get('range.txt', { range: 'bytes=0-0', 'if-range': 'Thu, 01 Jan 1970 00:00:00 GMT' })).status).toBe(200);
    await expect(get('range.txt', { 'if-match': '"other"' })).rejects.toEqual(refused(412));
  });

  verifies('files.get', 'what the caller has already is 304 without a body', async () => {
    const whole = await get('range.txt');
    const etag = whole.headers.get('etag') ?? '';
    const modified = whole.headers.get('last-modified') ?? '';
    for (const condition of [`if-none-match: ${etag}`, `if-none-match: "x", W/${etag}`, 'if-none-match: *', `if-modified-since: ${modified}`]) {
      const answer = await raw('/v1/me/files/range.txt', [condition]);
      expect(answer, condition).toMatch(/^HTTP\/1.1 304 /);
      expect(answer).toContain(etag);
      expect(answer.split('\r\n\r\n')[1]).toBe('');
    }
    // A tag that differs outweighs a date.
    expect((await get('range.txt', { 'if-none-match': '"x"', 'if-modified-since': modified })).status).toBe(200);
  });

  verifies('files.get', 'an empty file is whole, and has no part', async () => {
    await upload('ada', 'empty', '');
    expect((await get('empty')).headers.get('content-length')).toBe('0');
    await expect(get('empty', { range: 'bytes=0-' })).rejects.toEqual(refused(416));
  });
});

verifies('files.get', 'nothing that was uploaded can act on our origin', async () => {
  const evil = '<script>fetch("/v1/me/files")</script>';
  const sent = [
    ['a.html', '', 'text/html', 'attachment'],
    ['a.svg', '', 'image/svg+xml', 'attachment'],
    ['a.xml', '', 'application/xml', 'attachment'],
    ['a.js', '', 'text/javascript', 'attachment'],
    ['a.pdf', '', 'application/pdf', 'attachment'],
    ['a.txt', 'text/html', 'text/html', 'attachment'],
    ['a.txt', 'TEXT/HTML; charset=utf-7', 'text/html', 'attachment'],
    ['a.txt', 'application/xhtml+xml', 'application/xhtml+xml', 'attachment'],
    ['a.html', 'text/plain', 'text/plain', 'inline'],
    ['a.png', '', 'image/png', 'inline'],
    ['plain', '', 'text/plain', 'inline'],
  ] as const;
  for (const [path, type, mime, disposition] of sent) {
    await upload('ada', `xss/${path}`, evil, {}, type);
    const { headers } = await get(`xss/${path}`);
    expect([headers.get('content-type')?.split(';')[0], headers.get('content-disposition')?.split(';')[0]], `${path} as ${type}`).toEqual([mime, disposition]);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/);
  }
});

verifies('files.get', 'a name cannot break out of its header', async () => {
  await upload('ada', 'n/a";%41 ü€.html', 'x');
  const { headers } = await get('n/a";%41 ü€.html');
  expect(headers.get('content-disposition')).toBe(`attachment; filename="a_;_41 __.html"; filename*=UTF-8''a%22%3B%2541%20%C3%BC%E2%82%AC.html`);
});

verifies('files.get', 'paths that lead elsewhere are refused, however they are written', async () => {
  const ways = [
    '%2e%2e/%2e%2e/etc/passwd',
    'a%2f..%2f..%2fb',
    '..%5c..%5cb',
    '%00',
    'a%00.txt',
    '%2fetc%2fpasswd',
    'a//b',
    'a%0d%0ax:y',
    '%c0%ae%c0%ae/x',
    'a/%ff',
    '*',
    `${'x'.repeat(1_100)}`,
  ];
  for (const way of ways) expect(await raw(`/v1/me/files/${way}`), way).toMatch(/^HTTP\/1.1 (?:400|404|422) /);
  expect(await raw('/v1/me/files/../../etc/passwd')).toMatch(/^HTTP\/1.1 (?:400|404|422) /);
  // An encoded slash is a slash.
  await upload('ada', 'slash/inside', 'x');
  expect(await raw('/v1/me/files/slash%2Finside')).toMatch(/^HTTP\/1.1 200 /);
});

describe('under a grant', () => {
  const ask = { mode: 'read_write_overlay' as const, allow_patterns: ['g/**'], deny_patterns: ['g/**/*.key'] };
  let token: string;
  beforeAll(async () => {
    const made = await world.as('ada').workspaceGrants.delegate({ body: { audience: world.records.name ?? '', ...ask } });
    token = made.token;
    for (const path of ['g/a.txt', 'g/b.key', 'other.txt']) await upload('ada', path, path);
  });
  const held = () => ({ 'svc-grant': token });
  const under = (who: 'ada' | 'ben' = 'ada') => world.as(who).workspaceGrants;

  verifies('workspaceGrants.delegate', 'a user gives a part of their own files to an agent', async () => {
    const body = { audience: world.records.name ?? '', allow_patterns: ['g/*.txt'], ttl_seconds: 60 };
    const { grant } = await under().delegate({ body });
    expect(grant).toMatchObject({ audience: body.audience, mode: 'read_only', allow_patterns: ['g/*.txt'] });
    expect(grant.expires_at - grant.issued_at).toBe(60);
    await expect(under('ben').delegate({ body })).rejects.toEqual(refused(404));
  });

  verifies('workspaceGrants.list', 'shows what the grant covers, and nothing else', async () => {
    const { items } = await under().list({ headers: held() });
    expect(items.map(({ path }) => path)).toEqual(['g/a.txt']);
    await expect(under('ben').list({ headers: held() })).rejects.toEqual(refused(403, 'grant_invalid'));
    await expect(under().list({ headers: { 'svc-grant': '' } })).rejects.toEqual(refused(422));
  });

  verifies('workspaceGrants.read', 'reads what the grant covers; ranges too; all else is 403', async () => {
    const read = (path: string, headers: Record<string, string> = {}) => under().read({ params: { path }, headers: held() }, { headers });
    expect(await (await read('g/a.txt')).text()).toBe('g/a.txt');
    expect(await (await read('g/a.txt', { range: 'bytes=2-2' })).text()).toBe('a');
    for (const path of ['g/b.key', 'other.txt', 'no-such']) await expect(read(path)).rejects.toEqual(refused(403, 'path_not_granted'));
    await expect(read('g/none')).rejects.toEqual(refused(404));
    await expect(read('g/a.txt', { 'svc-grant': `${token.slice(0, -2)}AA` })).rejects.toEqual(refused(403, 'grant_invalid'));
  });

  verifies('workspaceGrants.stat', 'tells length, type and tag without the bytes', async () => {
    const { headers } = await under().stat({ params: { path: 'g/a.txt' }, headers: held() });
    expect([headers.get('content-length'), headers.get('content-type'), headers.get('etag')]).toEqual([
      '7',
      'text/plain; charset=utf-8',
      expect.stringMatching(/^"[0-9a-f]{64}"$/),
    ]);
  });

  verifies('workspaceGrants.write', 'writes where the grant lets it; without a run it is committed at once', async () => {
    const write = (path: string, body: string, headers: Record<string, string> = {}) =>
      under().write({ params: { path }, body, headers: held() }, { headers: { 'content-type': 'application/json', ...headers } });
    expect(await write('g/new.bin', '{}')).toMatchObject({ path: 'g/new.bin', operation: 'write', state: 'committed', size_bytes: 2 });
    expect((await get('g/new.bin')).headers.get('content-type')).toBe('application/json');
    await expect(write('g/new.bin', 'x', { 'if-none-match': '*' })).rejects.toEqual(refused(412));
    await expect(write('other.txt', 'x')).rejects.toEqual(refused(403, 'path_not_granted'));
    await expect(write('g/new.bin', 'x', world.headers)).rejects.toEqual(refused(403, 'grant_read_only'));
  });

  test('[workspaceGrants.write] a too large file is refused while it is still being sent', async () => {
    const body = new Uint8Array(MAX_FILE_BYTES + 16 * 1024 * 1024);
    await expect(under().write({ params: { path: 'g/large' }, body, headers: held() })).rejects.toEqual(refused(413, 'content_too_large'));
  });

  test('[workspaceGrants.write] a hundred at once leave one whole content', async () => {
    const bodies = Array.from({ length: 100 }, (_, n) => `${n}`.padStart(1_000, '.'));
    await Promise.all(bodies.map((body) => under().write({ params: { path: 'g/hot' }, body, headers: held() })));
    expect(bodies).toContain(await (await get('g/hot')).text());
  });

  verifies('workspaceGrants.remove', 'deletes where the grant lets it', async () => {
    await upload('ada', 'g/del', 'x');
    const remove = (path: string) => under().remove({ params: { path }, headers: held() });
    expect(await remove('g/del')).toMatchObject({ operation: 'delete', state: 'committed', sha256: null });
    await expect(remove('g/del')).rejects.toEqual(refused(404));
    await expect(remove('other.txt')).rejects.toEqual(refused(403));
  });
});

describe('artifacts', () => {
  verifies('agents.file', 'every holder of the link fetches it, as a download, in parts too, until it expires', async () => {
    const { name = '', path = '' } = world.records;
    const [run_id = '', file = ''] = path.split('/');
    const link = async (at: number) =>
      world.url + new URL(await artifactUri({ ...world.ctx, clock: () => at }, name, { run_id, name: file })).href.slice(world.ctx.config.baseUrl.length);
    const response = await fetch(await link(Date.now()));
    expect([response.status, await response.text(), response.headers.get('content-disposition')]).toEqual([
      200,
      'a report',
      `attachment; filename="report.txt"; filename*=UTF-8''report.txt`,
    ]);
    expect(response.headers.get('content-security-policy')).toMatch(/^sandbox/);
    expect(await (await fetch(await link(Date.now()), { headers: { range: 'bytes=2-' } })).text()).toBe('report');
    expect((await fetch(await link(Date.now() - (LINK_SECONDS + 1) * 1000))).status).toBe(410);
    expect((await fetch(`${await link(Date.now())}x`)).status).toBe(404);
    expect((await fetch((await link(Date.now())).split('?')[0] ?? '')).status).toBe(401);
    // A link lends no other rights, and bad credentials beside it are still bad.
    expect((await fetch(await link(Date.now()), { headers: { authorization: 'Bearer svc_forged' } })).status).toBe(401);
    expect(world.logs.join('\n')).not.toContain(new URL(await link(Date.now())).searchParams.get('token')?.slice(12));
  });

  verifies('agents.file', 'its user and the owner of the agent need no link', async () => {
    const { name = '', path = '' } = world.records;
    expect(await (await world.as('ada').agents.file({ params: { name, path } })).text()).toBe('a report');
    await expect(world.as('ben').agents.file({ params: { name, path } })).rejects.toEqual(refused(404));
    await expect(world.as('ada').agents.file({ params: { name, path: `${path}/x` } })).rejects.toEqual(refused(404));
    await expect(world.as('ada').agents.file({ params: { name: 'no-such', path } })).rejects.toEqual(refused(404));
  });

  test('a page an agent made does not run on our origin', async () => {
    const { name = '', path = '' } = world.records;
    const [run_id = ''] = path.split('/');
    const row = await world.ctx.db('artifacts').where({ run_id }).first();
    const { sha256, size_bytes } = await storeBlob(world.ctx, Readable.from([Buffer.from('<script>1</script>')]), 100);
    if (!row) throw new Error('no artifact');
    await world.ctx.db('artifacts').insert({ ...row, artifact_id: newId('art'), name: 'page.html', mime_type: 'text/html', sha256, size_bytes });
    const { headers } = await world.as('ada').agents.file({ params: { name, path: `${run_id}/page.html` } });
    expect(headers.get('content-disposition')).toMatch(/^attachment;/);
    expect(headers.get('content-security-policy')).toMatch(/^sandbox/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });
});
