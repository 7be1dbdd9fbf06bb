// Bytes that are nearly HTTP: whole requests in pieces, each piece perhaps broken. fast-check shrinks them
// piece by piece.
import { connect } from 'node:net';
import fc from 'fast-check';

export interface Surface {
  /** What the Host header says. */
  host: string;
  /** Paths worth asking for. */
  paths: readonly string[];
}

export interface RawRequest {
  bytes: Buffer;
  /** Where the bytes are cut into writes of their own. */
  cuts: number[];
  /** Leave after sending, or stay for the answer. */
  leave: boolean;
}

const CRLF = '\r\n';
const methods = fc.constantFrom('GET', 'POST', 'PUT', 'HEAD', 'DELETE', 'OPTIONS', 'PATCH', 'CONNECT', 'TRACE', 'get', 'PRI', 'M-SEARCH', '');
const versions = fc.constantFrom('HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', 'HTTP/1.12', 'http/1.1', '');
const anyBytes = fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes).toString('latin1'));
const garbage = fc.oneof(
  anyBytes,
  fc.constantFrom(
    'GARBAGE\r\n\r\n',
    '\r\n\r\n',
    '\0\0\0\0',
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    '\xff\xfe\xfd',
    '{"a":1}',
  ),
);
const suffixes = fc.oneof(
  fc.constantFrom(
    '',
    '?',
    '?a=%ff',
    '?%00=1',
    '?after=99999999999',
    '/%2e%2e/',
    '/../..',
    '//',
    '/%c0%af',
    '/%',
    '?limit=1e309',
    '?a[]=b&a[]=c',
    '#x',
    '?cursor=A%3D%3D',
  ),
  anyBytes,
);
const headerLines = fc.oneof(
  fc.constantFrom(
    'content-length: 5', 'content-length: 0', 'content-length: -1', 'content-length: 99999999999999999999', 'content-length: 5, 6', 'content-length: 0x5', 'Content-Length : 5',
    'transfer-encoding: chunked', 'transfer-encoding: identity', 'transfer-encoding: chunked, chunked', 'transfer-encoding: gzip', 'Transfer-Encoding:\tchunked',
    'content-type: application/json', 'content-type: multipart/form-data; boundary=x', 'content-type: multipart/form-data', 'content-type: application/x-www-form-urlencoded', 'content-type: \xff',
    'expect: 100-continue', 'expect: 200-ok', 'connection: close', 'connection: keep-alive, x-svc-a', 'connection: upgrade', 'upgrade: websocket', 'upgrade: h2c', 'sec-websocket-key: AAAA',
    'cookie: __Host-svc_session=a; __Host-svc_agent=\xe4', 'cookie: _session=%', 'cookie: =', 'authorization: Bearer a.b.c', 'authorization: Bearer', 'authorization: Basic \x80\x81', 'authorization: Bearer svc_run_e30.e30',
    'accept: text/html', 'accept: \xe2\x82\xac', 'accept-encoding: \0', 'x-request-id: short', 'x-request-id: aaaaaaaa-good-one', 'host: second.localhost', 'host:', 'origin: null', 'sec-fetch-site: cross-site',
    'range: bytes=0-0,5-', 'if-none-match: "', 'last-event-id: 99999999999999', 'x-forwarded-for: \xfe', 'svc-grant: =.=', ' folded: yes', 'no colon', ': no name', 'a\0b: c', 'trailer: x',
  ),
  anyBytes.map((text) => `x-any: ${text}`),
  fc.integer({ min: 1, max: 3 }).map((n) => `x-long: ${'a'.repeat(n * 6_000)}`),
); // prettier-ignore
const bodies = fc.oneof(
  fc.constantFrom('', 'hello', '{"name":"\xff\xfe"}', '{"a":', '5\r\nhello\r\n0\r\n\r\n', 'zz\r\nhello\r\n0\r\n\r\n', 'ffffffffffffffffff\r\nhello', '5;ext=\0\r\nhello\r\n0\r\n\r\n', '5\nhello\n0\n\n', '-1\r\n\r\n'),
  fc.constantFrom('0\r\nx: y\r\n\r\n', '--x\r\ncontent-disposition: form-data; name="file"; filename="\xff"\r\n\r\nhello', '--x--\r\n', 'email=%ff&password=%00', `${'['.repeat(500)}`),
  anyBytes,
); // prettier-ignore

/** One to three requests on one connection. */
export function rawRequests({ host, paths }: Surface): fc.Arbitrary<RawRequest> {
  const request = fc
    .record({
      method: methods,
      path: fc.constantFrom(...paths, '*', '', 'http://[::1', `http://${host}/`),
      suffix: suffixes,
      version: versions,
      withHost: fc.boolean(),
      headers: fc.array(headerLines, { maxLength: 5 }),
      end: fc.constantFrom(CRLF + CRLF, CRLF + CRLF, CRLF + CRLF, '\n\n', CRLF, '\r\r'),
      body: bodies,
      after: fc.oneof({ weight: 2, arbitrary: fc.constant('') }, { weight: 1, arbitrary: garbage }),
    })
    .map(({ method, path, suffix, version, withHost, headers, end, body, after }) => {
      const lines = [`${method} ${path}${suffix} ${version}`, ...(withHost ? [`host: ${host}`] : []), ...headers];
      return lines.join(CRLF) + end + body + after;
    });
  return fc.record({
    bytes: fc.array(fc.oneof({ weight: 4, arbitrary: request }, { weight: 1, arbitrary: garbage }), { minLength: 1, maxLength: 3 }).map((all) => Buffer.from(all.join(''), 'latin1')),
    cuts: fc.array(fc.nat(300), { maxLength: 3 }),
    leave: fc.boolean(),
  }); // prettier-ignore
}

/** An answer that is due has come by then. */
const GIVE_UP_MS = 1_000;

/**
 * Sends it; resolves with what was answered when the connection is over. A request that is not whole waits
 * for its rest, as it may, and an answered one is kept for the next: `enough` says when to end what is still
 * open; absent: the server ends it.
 */
export function sendRaw(port: number, { bytes, cuts, leave }: RawRequest, enough?: () => Promise<void>): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let answered = '';
    socket.on('data', (chunk: Buffer) => void (answered += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(answered));
    // A server of HTTP/2 keeps a connection that its client has half closed until it is idle for long: the
    // client leaves.
    const end = (): void => {
      socket.end();
      const late = setTimeout(() => socket.destroy(), GIVE_UP_MS);
      socket.once('close', () => clearTimeout(late));
    };
    const edges = [...new Set([0, ...cuts.filter((cut) => cut < bytes.length), bytes.length])].sort((a, b) => a - b);
    for (const [at, edge] of edges.entries()) if (at > 0) socket.write(bytes.subarray(edges[at - 1], edge));
    if (leave) end();
    else enough?.().then(end, reject);
  });
}
