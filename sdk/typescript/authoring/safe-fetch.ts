// Requests to configured addresses: never into private networks, never redirected, bounded in time and size.
// Where the environment names a proxy, as in an agent's machine, names are resolved there and checked there;
// literals are checked here too.
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from '../../../contract/wire/internet.ts';

export interface SafeRequest {
  method?: 'GET' | 'POST';
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** default 5 */
  timeoutSeconds?: number;
  /** default 64 KiB */
  maxBytes?: number;
  /** `host` or `host:port` that may be private and without TLS: for local development. */
  allowHosts?: readonly string[];
}

export interface SafeResponse {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** The address may not be asked, or did not answer as it must. Names no address it resolved to. */
export class UnsafeRequest extends Error {
  override readonly name = 'UnsafeRequest';
}

/** @throws UnsafeRequest, and what the network throws */
export function safeFetch(address: string, options: SafeRequest = {}): Promise<SafeResponse> {
  const { method = 'GET', headers = {}, body, timeoutSeconds = 5, maxBytes = 64 * 1024, allowHosts = [] } = options;
  const url = new URL(address);
  const allowed = allowHosts.includes(url.hostname) || allowHosts.includes(url.host);
  checkUrl(url, allowed);
  const { promise, resolve, reject } = Promise.withResolvers<SafeResponse>();
  // At the first use: what TLS brings with it is slow to load, and most agents never ask.
  const send = url.protocol === 'https:' ? process.getBuiltinModule('node:https').request : httpRequest;
  const bytes = body === undefined ? undefined : Buffer.from(body);
  const req = send(
    url,
    {
      method,
      headers: { accept: 'application/json', ...headers, ...(bytes && { 'content-length': bytes.byteLength }) },
      lookup: allowed ? undefined : publicOnly,
      signal: AbortSignal.timeout(timeoutSeconds * 1000),
    },
    (res) => {
      const status = res.statusCode ?? 0;
      // Not followed: the server could send the token elsewhere.
      if (status >= 300 && status < 400) {
        res.destroy();
        return reject(new UnsafeRequest(`${url.host} redirects; configure the address it redirects to`));
      }
      const chunks: Buffer[] = [];
      let size = 0;
      res.on('data', (chunk: Buffer) => {
        size += chunk.byteLength;
        if (size <= maxBytes) return void chunks.push(chunk);
        res.destroy();
        reject(new UnsafeRequest(`${url.host} answered more than ${maxBytes} bytes`));
      });
      res.on('end', () => resolve({ status, headers: res.headers, text: Buffer.concat(chunks).toString('utf8') }));
      res.on('error', reject);
    },
  );
  req.on('error', reject);
  req.end(bytes);
  return promise;
}

function checkUrl(url: URL, allowed: boolean): void {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new UnsafeRequest(`${url.protocol} is not a way to ask: use https`);
  if (url.username || url.password) throw new UnsafeRequest('an address with a password in it would end up in logs: use a header');
  if (allowed) return;
  if (url.protocol === 'http:') throw new UnsafeRequest(`${url.host} would get tokens in the clear: use https, or list it in allowHosts for local development`);
  // A literal is not looked up, so it is checked here; URL has already read 2130706433 and 0x7f.1 as what
  // they are.
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(literal) !== 0 && !isPublicAddress(literal)) throw refusedAddress(url.hostname);
  if (literal === 'localhost' || literal.endsWith('.localhost')) throw refusedAddress(url.hostname);
}

/** All addresses of a name must be public: the one that is used is the resolver's choice. */
const publicOnly: LookupFunction = (hostname, options, callback) => {
  process.getBuiltinModule('node:dns').lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, []);
    if (addresses.length === 0 || !addresses.every(({ address }) => isPublicAddress(address))) return callback(refusedAddress(hostname), []);
    const [first] = addresses;
    if (options.all || !first) return callback(null, addresses);
    callback(null, first.address, first.family);
  });
};

function refusedAddress(host: string): UnsafeRequest {
  return new UnsafeRequest(`${host} is not on the public internet; list it in allowHosts for local development`);
}
