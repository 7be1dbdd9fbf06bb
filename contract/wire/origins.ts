// Origins of web pages (RFC 6454), as browsers write them in the header Origin, and which of them are on the
// public internet.
import { z } from 'zod';
import { isAddress, isPublicAddress } from './internet.ts';

const MAX_ALLOWED_ORIGINS = 50;

/** `null`, which sandboxed frames and files of every author send, names no page: it cannot be allowed. */
const AllowedOrigin = z
  .string()
  .max(300)
  .refine(isOrigin, 'write an origin as browsers send it: https://app.example.com, without a path, a final "/" or the usual port');

export const AllowedOrigins = z
  .array(AllowedOrigin)
  .max(MAX_ALLOWED_ORIGINS)
  .meta({ description: `Origins, at most ${MAX_ALLOWED_ORIGINS}. An empty list: no page of another origin.`, examples: [['https://app.example.com']] });

function isOrigin(text: string): boolean {
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@\\*]+$/.test(text)) return false;
  if (!isWeb(text)) return true;
  return URL.parse(text)?.origin === text;
}

const isWeb = (origin: string): boolean => /^https?:\/\//.test(origin);

/**
 * False for the page of a host that only this machine or a private network has. Programs with pages of their
 * own (extensions, apps) have no host.
 */
export function isPublicOrigin(origin: string): boolean {
  const url = URL.parse(origin);
  if (!url || !isOrigin(origin)) return false;
  return isWeb(origin) ? isPublicHost(url.hostname) : !/(?:^|\.)localhost$/.test(url.hostname);
}

/** RFC 6761, 6762 (and its appendix G), 8375; what ICANN keeps for private use. */
const PRIVATE = /(?:^|\.)(?:localhost|local|internal|intranet|private|corp|home|lan|home\.arpa)$/;

/** By its name: no address is looked up. */
export function isPublicHost(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '').replace(/\.$/, ''); // prettier-ignore
  if (isAddress(name)) return isPublicAddress(name);
  return name.includes('.') && !PRIVATE.test(name);
}
