// Secrets on the way out: real sockets, a real TLS server, a guest that tries everything.
import { readFile } from 'node:fs/promises';
import { createServer as createHttp, request, type IncomingHttpHeaders } from 'node:http';
import { connect, createServer as createTcp, type AddressInfo, type Server } from 'node:net';
import { ProxyAgent, fetch } from 'undici';
import { afterEach, expect, test } from 'vitest';
import type { Injection } from '#drivers/runtime/port.ts';
import { tlsService } from '#test/support/tls.ts';
import { createEgressProxy } from './proxy.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});
const secret = 'Bearer s3cret-of-the-owner';
const injection: Injection = { host: 'api.test', header: 'Authorization', value: secret };

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

interface Heard {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A host that speaks TLS as `name`, and a guest of ours in front of it. */
async function setting({ name = 'api.test', inject = [injection], trusted = ['api.test'], addresses = ['127.0.0.1'], services = [] as string[] } = {}) {
  const heard: Heard[] = [];
  const service = await tlsService(name, (req, res) => {
    let body = '';
    req.on('data', (chunk) => (body += String(chunk)));
    req.on('end', () => {
      heard.push({ method: req.method, url: req.url, headers: req.headers, body });
      res.writeHead(req.url === '/moved' ? 302 : 200, { location: 'https://elsewhere.test/', 'content-type': 'text/plain' }).end('heard');
    });
  });
  closers.push(() => service.close());
  const refusals: string[] = [];
  const proxy = createEgressProxy({
    policy: { allowHosts: ['plain.test'], allowInternalServices: services },
    // Mapped by the operator, whether the agent declares it or not.
    configuration: { services: { 'api.test': `127.0.0.1:${service.port}` }, trustedHosts: [...trusted, 'plain.test'] },
    onRefusal: (line) => refusals.push(line),
    lookup: async () => addresses,
    inject,
    injectTls: { port: service.port, ca: await readFile(service.caFile, 'utf8') },
    connectTimeoutMs: 3_000,
  });
  closers.push(() => proxy.close());
  const port = await listening(createTcp((socket) => proxy.handle(socket)));
  return { port, heard, refusals };
}

/** As a program with HTTP_PROXY asks. */
function ask(
  port: number,
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<{ status: number; text: string }> {
  const { method = 'GET', headers = {}, body } = options;
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers }, (res) => {
      let text = '';
      res.on('data', (chunk) => (text += String(chunk))).on('end', () => resolve({ status: res.statusCode ?? 0, text }));
    });
    sent.on('error', reject).end(body);
  });
}
function raw(port: number, text: string, until: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    closers.push(() => socket.destroy());
    let got = '';
    socket.on('data', (chunk) => {
      got += String(chunk);
      if (until.test(got)) resolve(got);
    });
    socket.on('error', reject).on('close', () => resolve(got));
  });
}

test('a plain request to the gateway arrives over TLS with the header; the guest neither has it nor sees it', async () => {
  const { port, heard, refusals } = await setting();
  const answer = await ask(port, 'http://api.test.svc-inject.internal/v1/x?y=1', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'hello' });
  expect(answer).toEqual({ status: 200, text: 'heard' });
  expect(heard).toMatchObject([
    { method: 'POST', url: '/v1/x?y=1', body: 'hello', headers: { host: 'api.test', authorization: secret, 'content-type': 'text/plain' } },
  ]);
  expect(JSON.stringify([answer, refusals])).not.toContain('s3cret');
});

test('fetch through a tunnel is read as requests, too', async () => {
  const { port, heard } = await setting();
  const dispatcher = new ProxyAgent({ uri: `http://127.0.0.1:${port}`, proxyTunnel: true });
  closers.push(() => dispatcher.destroy());
  expect((await fetch('http://api.test.svc-inject.internal/tunnel', { dispatcher })).status).toBe(200);
  expect(heard[0]).toMatchObject({ url: '/tunnel', headers: { authorization: secret, host: 'api.test' } });
});

test('what the guest says under that name is dropped, in any spelling; so is a Connection header that would take it away', async () => {
  const { port, heard } = await setting();
  const lines = ['GET http://api.test.svc-inject.internal/ HTTP/1.1', 'Host: evil.test', 'AUTHORIZATION: mine', 'Connection: close, authorization', '', ''];
  expect(await raw(port, lines.join('\r\n'), /heard/)).toContain('200');
  expect(heard[0]?.headers).toMatchObject({ authorization: secret, host: 'api.test' });
});

test('the secret goes to exactly that host: not to another, not to one below or above it, not to where a redirect leads', async () => {
  const { port, heard } = await setting();
  for (const host of ['other.test', 'a.api.test', 'test', 'api.test.', 'xapi.test', 'api.test.svc-inject.internal', '']) {
    const { status } = await ask(port, `http://${host}.svc-inject.internal/`);
    expect(status, host).toBe(403);
  }
  expect(heard).toEqual([]);
  expect(await ask(port, 'http://api.test.svc-inject.internal/moved')).toMatchObject({ status: 302 });
  expect(heard).toHaveLength(1);
  const plain = createHttp((req, res) => res.end(String(req.headers.authorization ?? 'none')));
  await listening(plain);
  expect((await ask(port, 'http://plain.test:80/')).text).not.toContain('s3cret');
});

test('the host itself is not opened by it, and TLS to the gateway is refused with a sentence', async () => {
  const { port, heard, refusals } = await setting();
  expect(await raw(port, 'CONNECT api.test:443 HTTP/1.1\r\n\r\n', /\n$/)).toContain('403');
  expect(await raw(port, 'CONNECT api.test.svc-inject.internal:443 HTTP/1.1\r\n\r\n', /over TLS/)).toMatch(
    /403[^]*ask http:\/\/api\.test\.svc-inject\.internal/,
  );
  expect((await ask(port, 'https://api.test.svc-inject.internal/')).status).toBe(403);
  expect(heard).toEqual([]);
  expect(refusals.join('\n')).not.toContain('s3cret');
});

test('a host that cannot prove its name gets not a byte', async () => {
  const { port, heard, refusals } = await setting({ name: 'imposter.test' });
  expect(await ask(port, 'http://api.test.svc-inject.internal/', { method: 'POST', body: 'x' })).toMatchObject({ status: 502 });
  expect(heard).toEqual([]);
  expect(refusals[0]).toContain('did not prove');
});

test('a name that leads inside is refused, as everywhere', async () => {
  const { port, heard } = await setting({ trusted: [], addresses: ['169.254.169.254', '127.0.0.1'] });
  expect(await ask(port, 'http://api.test.svc-inject.internal/')).toMatchObject({ status: 502 });
  expect(heard).toEqual([]);
});

test('a request smuggled into a body stays a body', async () => {
  const { port, heard } = await setting();
  const inner = 'GET /stolen HTTP/1.1\r\nHost: api.test\r\n\r\n';
  const chunk = `${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`;
  await raw(port, `GET http://api.test.svc-inject.internal/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${chunk}`, /heard/);
  expect(heard).toMatchObject([{ url: '/', body: inner }]);
});

test('an internal service gets its secret where the operator mapped it, for an agent that declares it; it proves its name as any host', async () => {
  const nowhere = { trusted: [], addresses: [] };
  const declared = await setting({ ...nowhere, services: ['api.test'] });
  expect(await ask(declared.port, 'http://api.test.svc-inject.internal/in')).toEqual({ status: 200, text: 'heard' });
  expect(declared.heard).toMatchObject([{ url: '/in', headers: { authorization: secret, host: 'api.test' } }]);
  const undeclared = await setting(nowhere);
  expect(await ask(undeclared.port, 'http://api.test.svc-inject.internal/in')).toMatchObject({ status: 502 });
  const imposter = await setting({ ...nowhere, services: ['api.test'], name: 'imposter.test' });
  expect(await ask(imposter.port, 'http://api.test.svc-inject.internal/in')).toMatchObject({ status: 502 });
  expect([...undeclared.heard, ...imposter.heard]).toEqual([]);
});
