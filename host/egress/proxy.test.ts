import { readFile } from 'node:fs/promises';
import { createServer as createHttp, request } from 'node:http';
import { connect, createServer as createTcp, type AddressInfo, type Server } from 'node:net';
import { duplexPair } from 'node:stream';
import { text } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, expect, test, vi } from 'vitest';
import { tlsService } from '#test/support/tls.ts';
import type { Lookup } from '#drivers/outbound/lookup.ts';
import type { EgressConfiguration, EgressPolicy } from './policy.ts';
import { createEgressProxy } from './proxy.ts';

const closers: (() => void)[] = [];
afterEach(() => closers.splice(0).forEach((close) => close()));

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => server.close());
  return portOf(server);
}
const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** The proxy behind a TCP port standing in for the guest's channel. */
async function guest(
  policy: Partial<EgressPolicy>,
  configuration: Partial<EgressConfiguration>,
  lookup: Lookup = async () => ['127.0.0.1'],
  maxConnections = 64,
) {
  const refusals: string[] = [];
  const proxy = createEgressProxy({
    policy: { allowHosts: [], allowInternalServices: [], ...policy },
    configuration: { services: {}, ...configuration },
    onRefusal: (line) => refusals.push(line),
    lookup,
    maxConnections,
  });
  closers.push(() => proxy.close());
  return { port: await listening(createTcp((socket) => proxy.handle(socket))), refusals, proxy };
}

function send(port: number, text: string, until: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    closers.push(() => socket.destroy());
    let got = '';
    socket.on('data', (chunk) => {
      got += chunk.toString();
      if (until.test(got)) resolve(got);
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(got));
  });
}

const echo = () => listening(createTcp((socket) => void socket.pipe(socket)));
const web = () => listening(createHttp((req, res) => res.end(`${req.method} ${req.url} ${req.headers.host} ${req.headers['proxy-authorization'] ?? '-'}`)));

test('CONNECT to an internal service carries bytes both ways', async () => {
  const { port } = await guest({ allowInternalServices: ['orders'] }, { services: { orders: `127.0.0.1:${await echo()}` } });
  expect(await send(port, 'CONNECT orders:443 HTTP/1.1\r\nHost: orders\r\n\r\nhello', /hello/)).toMatch(/^HTTP\/1\.1 200 /);
});

test('absolute form is forwarded without the proxy headers', async () => {
  const { port } = await guest({ allowInternalServices: ['orders'] }, { services: { orders: `127.0.0.1:${await web()}` } });
  const body = await new Promise<string>((resolve, reject) => {
    const ask = request({ port, host: '127.0.0.1', path: 'http://orders/a?b=1', headers: { host: 'orders', 'proxy-authorization': 'Basic eA==' } }, (res) => {
      let text = '';
      res.on('data', (chunk) => (text += String(chunk))).on('end', () => resolve(text));
    });
    ask.on('error', reject).end();
  });
  expect(body).toBe('GET /a?b=1 orders -');
});

test('a refused connection is over: however many were refused, the next one is heard', async () => {
  const { proxy } = await guest({}, {}, undefined, 3);
  for (let n = 0; n < 8; n += 1) {
    const [host, wire] = duplexPair();
    proxy.handle(host);
    wire.write('CONNECT elsewhere.test:443 HTTP/1.1\r\n\r\n');
    expect(await text(wire)).toMatch(/^HTTP\/1\.1 403 /);
    wire.end();
    await expect.poll(() => proxy.open).toBe(0);
  }
});

test('requests that do not wait for each other on one connection count as well', async () => {
  const held: (() => void)[] = [];
  const service = createHttp((_req, res) => held.push(() => res.end('answered')));
  let connections = 0;
  service.on('connection', () => (connections += 1));
  const { port } = await guest({ allowInternalServices: ['orders'] }, { services: { orders: `127.0.0.1:${await listening(service)}` } }, undefined, 3);
  const one = 'GET http://orders/ HTTP/1.1\r\nHost: x\r\n';
  const last = `${one}Connection: close\r\n\r\n`;
  const answered = send(port, `${one}\r\n`.repeat(49) + last, /never/);
  await expect.poll(() => held.length).toBe(3);
  held.forEach((answer) => answer());
  expect((await answered).match(/HTTP\/1\.1 200/g)).toHaveLength(3);
  expect(connections).toBe(3);
  // Their room is free again.
  const later = send(port, last, /never/);
  await expect.poll(() => held.length).toBe(4);
  held.at(-1)?.();
  expect(await later).toContain('answered');
});

test('one that came when there were too many is over too, as soon as its sender says so', async () => {
  const { port, proxy } = await guest({}, {}, undefined, 1);
  const first = connect(port, '127.0.0.1');
  closers.push(() => first.destroy());
  await expect.poll(() => proxy.open).toBe(1);
  const [host, wire] = duplexPair();
  proxy.handle(host);
  wire.end('CONNECT elsewhere.test:443 HTTP/1.1\r\n\r\n');
  expect(await text(wire)).toMatch(/^HTTP\/1\.1 503 /);
  await expect.poll(() => host.closed).toBe(true);
});

test('a tunnel holds no other tunnel', async () => {
  const plane = await web();
  const { port } = await guest({}, { controlPlane: `http://plane.test:${plane}` });
  const open = `CONNECT plane.test:${plane} HTTP/1.1\r\n\r\n`;
  const answered = await send(port, open + open, /never/);
  expect(answered.match(/^HTTP\/1\.1 \d+/gm)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 403']);
});

test('an https:// address in absolute form is fetched over TLS, and only from who it names', async () => {
  const service = await tlsService('orders', (req, res) => void res.end(`order ${req.url}`));
  closers.push(() => void service.close());
  const ask = async (name: string) => {
    const { port } = await guest({ allowInternalServices: [name] }, { services: { [name]: `127.0.0.1:${service.port}` } });
    return send(port, `GET https://${name}/7 HTTP/1.1\r\nHost: ${name}\r\n\r\n`, /order|failed/);
  };
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, await readFile(service.caFile, 'utf8')]);
  try {
    expect(await ask('orders')).toContain('order /7');
    expect(await ask('another')).toMatch(/^HTTP\/1\.1 502/);
  } finally {
    setDefaultCACertificates(before);
  }
});

test('the control plane is reached under its name at its port', async () => {
  const plane = await web();
  const { port } = await guest({}, { controlPlane: `http://plane.test:${plane}` });
  expect(await send(port, `GET http://plane.test:${plane}/v1/me HTTP/1.1\r\nHost: x\r\n\r\n`, /GET/)).toContain(`GET /v1/me plane.test:${plane}`);
});

test('of the control plane only what is for agents is reached, in whatever form it is asked', async () => {
  const plane = await web();
  const { port, refusals } = await guest({}, { controlPlane: `http://plane.test:${plane}` });
  const whole = (path: string) => send(port, `GET http://plane.test:${plane}${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`, /never/);
  const tunnel = (path: string) =>
    send(port, `CONNECT plane.test:${plane} HTTP/1.1\r\n\r\nGET ${path} HTTP/1.1\r\nHost: y\r\nConnection: close\r\n\r\n`, /never/);
  for (const ask of [whole, tunnel]) {
    expect(await ask('/run/v1/questions')).toContain(`GET /run/v1/questions plane.test:${plane}`);
    for (const path of ['/v1/agents', '/run/v1/../../v1/agents', '/run/v1/%2e%2e/%2e%2e/v1/agents', '/']) {
      expect(await ask(path)).toContain('403');
    }
  }
  expect(await tunnel('http://plane.test/run/v1/x')).toContain('403');
  expect(refusals).toHaveLength(9);
});

test("a tunnel to an agent's host leads to that host alone: another Host in it does not open the control plane behind the same socket", async () => {
  const port80 = await web();
  const domain = { agentsDomain: `agents.test:${port80}`, controlPlane: `http://plane.test:${port80}`, guestSocket: `127.0.0.1:${port80}` };
  const { port } = await guest({}, domain);
  const inside = (path: string, host: string) =>
    send(
      port,
      `CONNECT shop.agents.test:${port80} HTTP/1.1\r\n\r\nPOST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
      /never/,
    );
  for (const host of [`shop.agents.test:${port80}`, `plane.test:${port80}`, 'x'])
    expect(await inside('/invoke/buy', host)).toContain(`POST /invoke/buy shop.agents.test:${port80} `);
  expect(await inside(`http://plane.test:${port80}/v1/agents`, 'x')).toContain('403');
});

test.each(['GET', 'DELETE', 'OPTIONS'])('a body behind %s is no request of its own', async (method) => {
  const heard: string[] = [];
  const raw = await listening(
    createTcp((socket) => {
      socket.on('data', (chunk) => {
        heard.push(chunk.toString());
        if (heard.join('').includes('0\r\n\r\n')) socket.end('HTTP/1.1 204 Done\r\n\r\n');
      });
    }),
  );
  const { port } = await guest({}, { controlPlane: `http://plane.test:${raw}` });
  const smuggled = 'POST /v1/agents HTTP/1.1\r\nHost: plane.test\r\n\r\n';
  const chunk = `${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`;
  const head = `${method} http://plane.test:${raw}/run/v1/x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`;
  expect(await send(port, head + chunk, /204/)).toContain('204');
  const [headers = '', ...body] = heard.join('').split('\r\n\r\n');
  expect(headers.toLowerCase()).toContain('transfer-encoding: chunked');
  expect(body.join('\r\n\r\n')).toMatch(new RegExp(`^${smuggled.length.toString(16)}\r\nPOST `));
});

test('an undeclared host is refused with a sentence and one log line', async () => {
  const { port, refusals } = await guest({ allowHosts: ['api.test'] }, {});
  expect(await send(port, 'CONNECT evil.test:443 HTTP/1.1\r\n\r\n', /\n$/)).toMatch(/^HTTP\/1\.1 403 [^]*evil\.test[^]*egress\.allow_hosts/);
  expect(refusals).toHaveLength(1);
});

test.each([['127.0.0.1'], ['169.254.169.254'], ['10.0.0.1'], ['::1'], ['::ffff:127.0.0.1']])(
  'an allowed name that resolves to %s is refused',
  async (address) => {
    const { port, refusals } = await guest({ allowHosts: ['rebind.test'] }, {}, async () => [address]);
    expect(await send(port, 'CONNECT rebind.test:443 HTTP/1.1\r\n\r\n', /\n$/)).toMatch(/^HTTP\/1\.1 502 [^]*public internet/);
    expect(refusals[0]).toContain('rebind.test');
  },
);

test('an unknown name and an internal one have the same answer, which does not reveal internal names', async () => {
  const answers = new Set<string>();
  const logged = new Set<string>();
  for (const lookup of [() => Promise.reject(new Error('ENOTFOUND')), async () => [], async () => ['10.0.0.7'], async () => ['127.0.0.1', '::1']] as Lookup[]) {
    const { port, refusals } = await guest({ allowHosts: ['*.corp.test'] }, {}, lookup);
    answers.add(await send(port, 'CONNECT vault.corp.test:443 HTTP/1.1\r\n\r\n', /\n$/));
    answers.add((await send(port, 'GET http://vault.corp.test/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', /never/)).replace(/^Date: .*$/m, ''));
    for (const line of refusals) logged.add(line);
  }
  expect([answers.size, logged.size]).toEqual([2, 1]);
});

test('the name is resolved once: what was checked is what is connected to', async () => {
  let asked = 0;
  const { port } = await guest({ allowHosts: ['rebind.test'] }, {}, async () => (asked++ === 0 ? ['192.168.1.1'] : ['127.0.0.1']));
  await send(port, 'CONNECT rebind.test:443 HTTP/1.1\r\n\r\n', /\n$/);
  expect(asked).toBe(1);
});

test('literal internal addresses are refused even when declared', async () => {
  const { port } = await guest({ allowHosts: ['127.0.0.1'] }, {});
  expect(await send(port, 'CONNECT 127.0.0.1:443 HTTP/1.1\r\n\r\n', /\n$/)).toMatch(/^HTTP\/1\.1 403/);
});

test('connections are bounded and junk does not hurt', async () => {
  const { port, proxy } = await guest({ allowInternalServices: ['orders'] }, { services: { orders: `127.0.0.1:${await echo()}` } }, undefined, 1);
  expect(await send(port, 'CONNECT orders:443 HTTP/1.1\r\n\r\nx', /x$/)).toContain('200');
  expect(await send(port, 'CONNECT orders:443 HTTP/1.1\r\n\r\n', /never/)).toMatch(/^HTTP\/1\.1 503/);
  expect(proxy.open).toBe(1);
  const other = await guest({}, {});
  expect(await send(other.port, '\u0000\u0001junk\r\n\r\n', /never/)).toBe('');
  expect(await send(other.port, 'GET /relative HTTP/1.1\r\nHost: a\r\n\r\n', /\n$/)).toContain('403');
});

test('an account that denies the outside: by name, by address, in a tunnel, in absolute form, with an injected header; what it mapped stays, and what was open ends', async () => {
  const denied: { host: string; port: number }[] = [];
  const [inside, outside] = [await echo(), await echo()];
  const proxy = createEgressProxy({
    policy: { allowHosts: ['*', `open.test:${outside}`], allowInternalServices: ['orders'] },
    configuration: { services: { orders: `127.0.0.1:${inside}` }, trustedHosts: [`open.test:${outside}`] },
    inject: [{ host: 'api.test', header: 'authorization', value: 'Bearer secret' }],
    onRefusal: () => undefined,
    onDenied: (target) => denied.push(target),
    lookup: async () => ['127.0.0.1'],
  });
  closers.push(() => proxy.close());
  const port = await listening(createTcp((socket) => proxy.handle(socket)));
  const open = connect(port, '127.0.0.1', () => open.write(`CONNECT open.test:${outside} HTTP/1.1\r\n\r\n`));
  await expect.poll(() => proxy.open).toBe(1);
  let heard = '';
  open.on('data', (chunk) => (heard += String(chunk)));
  await expect.poll(() => heard).toContain('200');
  const over = new Promise((resolve) => open.once('close', resolve));
  proxy.denyExternal(true);
  await over;
  const refused = /^HTTP\/1\.1 403 [\s\S]*policy_denied/;
  for (const asked of [
    `CONNECT open.test:${outside} HTTP/1.1\r\n\r\n`,
    'CONNECT 93.184.216.34:443 HTTP/1.1\r\n\r\n',
    'CONNECT [2606:2800:220:1::1]:443 HTTP/1.1\r\n\r\n',
    'GET http://anywhere.test/ HTTP/1.1\r\nHost: anywhere.test\r\nConnection: close\r\n\r\n',
    'GET http://api.test.svc-inject.internal/ HTTP/1.1\r\nHost: api.test.svc-inject.internal\r\nConnection: close\r\n\r\n',
  ])
    expect(await send(port, asked, refused), asked).toMatch(refused);
  // Inside a tunnel that is read, too.
  const inTunnel = 'CONNECT api.test.svc-inject.internal:80 HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\nHost: api.test.svc-inject.internal\r\nConnection: close\r\n\r\n';
  expect(await send(port, inTunnel, /403/)).toContain('policy_denied');
  expect(denied.map(({ host }) => host)).toEqual(['open.test', '93.184.216.34', '2606:2800:220:1::1', 'anywhere.test', 'api.test', 'api.test']);
  expect(await send(port, 'CONNECT orders:443 HTTP/1.1\r\n\r\nhello', /hello/)).toMatch(/^HTTP\/1\.1 200 /);
  proxy.denyExternal(false);
  expect(await send(port, `CONNECT open.test:${outside} HTTP/1.1\r\n\r\nhello`, /hello/)).toMatch(/^HTTP\/1\.1 200 /);
});

test('each connection to the outside is asked about, and again while it is open; what is no longer allowed ends', async () => {
  const outside = await echo();
  const asked: string[] = [];
  let refused: string | undefined;
  let silent = false;
  const refusals: string[] = [];
  const proxy = createEgressProxy({
    policy: { allowHosts: [`open.test:${outside}`], allowInternalServices: ['orders'] },
    configuration: { services: { orders: `127.0.0.1:${outside}` }, trustedHosts: [`open.test:${outside}`] },
    onRefusal: (line) => refusals.push(line),
    lookup: async () => ['127.0.0.1'],
    askAgainMs: 20,
    ask: async ({ host, port }) => {
      asked.push(`${host}:${port}`);
      if (silent) return { allowed: false, reason: 'nobody answers', unanswered: true };
      return refused === undefined ? { allowed: true } : { allowed: false, reason: refused };
    },
  });
  closers.push(() => proxy.close());
  const port = await listening(createTcp((socket) => proxy.handle(socket)));
  const tunnel = `CONNECT open.test:${outside} HTTP/1.1\r\n\r\n`;
  const open = connect(port, '127.0.0.1', () => open.write(`${tunnel}hello`));
  open.resume();
  closers.push(() => open.destroy());
  const ended = new Promise((resolve) => open.once('close', resolve));
  await vi.waitFor(() => expect(asked.length).toBeGreaterThan(3));
  // A platform that restarts ends nothing.
  silent = true;
  const before = asked.length;
  await vi.waitFor(() => expect(asked.length).toBeGreaterThan(before + 3));
  silent = false;
  expect(open.destroyed).toBe(false);
  refused = 'open.test is refused: a rule denies it (policy_denied: no-open)';
  await ended;
  expect(refusals.join()).toContain('was ended: open.test is refused');
  expect(await send(port, tunnel, /no-open/)).toMatch(/^HTTP\/1\.1 403 /);
  // What the operator mapped is no outside.
  expect(await send(port, 'CONNECT orders:443 HTTP/1.1\r\n\r\nhello', /hello/)).toMatch(/^HTTP\/1\.1 200 /);
});
