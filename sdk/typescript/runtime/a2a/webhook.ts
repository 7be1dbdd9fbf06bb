// Posting to an address a stranger named: never into this machine or its networks, never along a redirect,
// never for long.
import { lookup } from 'node:dns';
import { lookup as lookupAll } from 'node:dns/promises';
import { request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { RequestMalformedError } from '@a2a-js/sdk/errors';
import { isLoopbackAddress, isPublicAddress } from '../../../../contract/wire/internet.ts';

const TIMEOUT_MS = 5_000;

export interface Reach {
  /** This machine itself may be posted to: an author's laptop. */
  local: boolean;
}

/** A name is judged by where it leads, as an address is by its numbers. @throws RequestMalformedError */
export async function checkAddress(address: string, reach: Reach): Promise<URL> {
  const url = URL.parse(address);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:') || url.username !== '' || url.password !== '') {
    throw new RequestMalformedError('the push address must be an http(s) URL without credentials');
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) > 0 ? [host] : await addressesOf(host);
  if (!addresses.some((one) => mayReach(one, reach))) throw new RequestMalformedError('the push address must be on the public internet');
  return url;
}

/** Resolves when the address took it (2xx). */
export async function postTo(
  url: URL,
  reach: Reach,
  { body, headers, signal }: { body: string; headers: Record<string, string>; signal: AbortSignal },
): Promise<void> {
  const options: RequestOptions = {
    method: 'POST',
    headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    lookup: lookupWithin(reach),
  };
  await new Promise<void>((resolve, reject) => {
    const request = url.protocol === 'https:' ? httpsRequest(url, options) : httpRequest(url, options);
    request.on('response', (response) => {
      // Nothing it says is read.
      response.destroy();
      const { statusCode = 0 } = response;
      if (statusCode >= 200 && statusCode < 300) resolve();
      else reject(new Error(`the push address answered ${statusCode}`));
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** Refuses at the moment of connecting, so that a name cannot change its mind in between. */
function lookupWithin(reach: Reach): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      const within = addresses.filter(({ address }) => mayReach(address, reach));
      const [first] = within;
      if (!first) return callback(new Error(`${hostname} is not on the public internet`), '', 0);
      if (options.all === true) callback(null, within);
      else callback(null, first.address, first.family);
    });
  };
}

/** Names below localhost are this machine (RFC 6761), whatever a name server says. */
async function addressesOf(host: string): Promise<string[]> {
  if (/(?:^|\.)localhost\.?$/i.test(host)) return ['127.0.0.1', '::1'];
  const resolved = await lookupAll(host, { all: true }).catch(() => []);
  return resolved.map(({ address }) => address);
}

function mayReach(address: string, { local }: Reach): boolean {
  return isPublicAddress(address) || (local && isLoopbackAddress(address));
}
