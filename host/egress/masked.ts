// Answers of hosts that got injected credentials: what is in them of a credential, the guest does not see. A
// host that wants to tell it can write it in a way of its own; this is about hosts that repeat what they were
// sent.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { EgressRefused } from '#drivers/outbound/connect.ts';
import type { Injection } from '#drivers/runtime/port.ts';
import type { Credential } from '#contract/wire/setup-injection.ts';
import type { Masks } from '#drivers/outbound/masks.ts';

const MAX_CODINGS = 3;

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/** Everything that the proxy added to a request. */
export function injectedValues(headers: readonly Injection[], credentials: readonly Credential[], token: string | undefined): string[] {
  const part = (as: string): string => credentials.find(({ inject }) => inject.as === as)?.value ?? '';
  const pair = `${part('basic_username')}:${part('basic_password')}`;
  const own = credentials.filter(({ inject }) => !inject.as.startsWith('tls_')).map(({ value }) => value);
  const values = [...headers.flatMap(({ value }) => partsOf(value)), ...own, ...(pair === ':' ? [] : [pair]), ...(token === undefined ? [] : [token])];
  return [...new Set(values)];
}

/**
 * A header's value, or the secret in it: behind a scheme, in a parameter or a cookie, in what Basic encodes.
 */
function partsOf(value: string): string[] {
  const [, scheme = '', secret = ''] = /^([A-Za-z][\w-]*) +(\S.*)$/.exec(value) ?? [];
  const parameters = Array.from(value.matchAll(/=\s*"?([^\s,;"]{8,})/g), ([, one = '']) => one);
  if (scheme.toLowerCase() === 'basic') {
    const pair = Buffer.from(secret, 'base64').toString();
    return [secret, pair, pair.slice(pair.indexOf(':') + 1)];
  }
  return [secret === '' || secret.includes(' ') ? value : secret, ...(secret === '' ? [] : [secret]), ...parameters];
}

/**
 * What the guest gets of an answer: its headers, and how its body is read. @throws EgressRefused where it is
 * compressed in a way that nothing here reads
 */
export function maskedAnswer(answer: IncomingMessage, method: string, masks: Masks): { headers: IncomingHttpHeaders; through: Transform[] } {
  const { 'content-encoding': coding = '', ...rest } = answer.headers;
  const bodiless = method === 'HEAD' || answer.statusCode === 204 || answer.statusCode === 304;
  const codings = coding.toLowerCase().split(',').map((one) => one.trim()).filter((one) => one !== '' && one !== 'identity'); // prettier-ignore
  if (bodiless || codings.length === 0) return { headers: masks.headers(answer.headers), through: [masks.stream()] };
  const decoders = codings.toReversed().map((one) => DECODERS[one]?.());
  const known = decoders.filter((one) => one !== undefined);
  if (known.length < decoders.length || known.length > MAX_CODINGS)
    throw new EgressRefused(
      502,
      `The answer is encoded as "${masks.text(coding).slice(0, 64)}", so it cannot be checked for the secret that was sent; nothing of it was passed on.`,
    );
  const { 'content-length': _length, ...headers } = rest;
  return { headers: masks.headers(headers), through: [...known, masks.stream()] };
}

/**
 * Compressed, or in parts that each begin in the middle, an answer could not be read; servers may ignore
 * ranges (RFC 9110, 14.2).
 */
export function withoutEncoding(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { range: _range, 'if-range': _ifRange, ...rest } = headers;
  return { ...rest, 'accept-encoding': 'identity' };
}
