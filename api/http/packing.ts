// Which answers are compressed, and how. The decision, because of BREACH: the length of a compressed answer
// tells how much of it repeats, so whoever makes a browser ask again and again, with words of theirs in the
// answer, reads a secret beside them.
//
// 1. A browser adds only the cookie on its own. Where one came, the answer is compressed only if the browser
//    says that a page of the same origin, or its person, asked (Sec-Fetch-Site): another site's page cannot
//    make it say so. A bearer token no page of others can send.
// 2. Only 200 to GET of the API, and calls of agents: what shows a secret once (a new token, a code of
//    sign-in) is made by other methods, or sets a cookie.
// 3. Never event streams, ranges, what is packed already, and what says no-transform.
import type { IncomingHttpHeaders } from 'node:http';
import type { Transform } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';

export type Packing = 'br' | 'gzip';

/** The smallest first. */
const PACKINGS: readonly Packing[] = ['br', 'gzip'];
/** Below it, the headers of an answer are longer than what is saved. */
const SMALLEST_BYTES = 1024;
const TYPES =
  /^(?:text\/(?:html|css|javascript|markdown|plain|xml|csv)|application\/(?:[\w.+-]+\+)?(?:json|xml)|application\/javascript|image\/svg\+xml)\s*(?:;|$)/i;
/** What is made for one answer: a tenth of the time of the best, for a tenth more bytes. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

type Values = Readonly<Record<string, unknown>>;

/**
 * Whether the answer depends on Accept-Encoding: then it says so, packed or not. `bytes`: of the whole;
 * undefined: not known before the end.
 */
export function isPackable(headers: Values, bytes: number | undefined): boolean {
  if (bytes === undefined || bytes < SMALLEST_BYTES || !TYPES.test(String(headers['content-type'] ?? ''))) return false;
  if (headers['content-encoding'] !== undefined || headers['content-range'] !== undefined || headers['set-cookie'] !== undefined) return false;
  return !/\bno-transform\b/i.test(String(headers['cache-control'] ?? ''));
}

/** Undefined: as it is. */
export function packingFor(asked: IncomingHttpHeaders): Packing | undefined {
  return mayShowLength(asked) ? PACKINGS.find((one) => accepts(asked['accept-encoding'], one)) : undefined;
}

function mayShowLength(asked: IncomingHttpHeaders): boolean {
  const from = asked['sec-fetch-site'];
  return asked.cookie === undefined || from === 'same-origin' || from === 'none';
}

/** RFC 9110, 12.5.3. */
function accepts(header: string | string[] | undefined, packing: Packing): boolean {
  const weights = new Map<string, number>();
  for (const part of String(header ?? '').split(',')) {
    const [name = '', ...parameters] = part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/);
    const q = parameters.find((one) => one.startsWith('q='));
    weights.set(name, q === undefined ? 1 : Number(q.slice(2)));
  }
  return (weights.get(packing) ?? weights.get('*') ?? 0) > 0;
}

/** Headers of the packed answer beside its own. Bytes that differ have no strong tag in common. */
export function packedHeaders(packing: Packing, etag: unknown): Record<string, string> {
  const weak = typeof etag === 'string' && etag.startsWith('"') ? { etag: `W/${etag}` } : {};
  return { 'content-encoding': packing, ...weak };
}

export function withVary(vary: unknown, name: string): string {
  const names = String(vary ?? '').split(',').map((one) => one.trim()).filter((one) => one !== ''); // prettier-ignore
  return names.some((one) => one === '*' || one.toLowerCase() === name) ? names.join(', ') : [...names, name].join(', ');
}

const packers = { br: promisify(brotliCompress), gzip: promisify(gzip) };

export function packed(content: string | Buffer, packing: Packing): Promise<Buffer> {
  return packing === 'br' ? packers.br(content, BROTLI) : packers.gzip(content);
}

export function packer(packing: Packing): Transform {
  return packing === 'br' ? createBrotliCompress(BROTLI) : createGzip();
}
