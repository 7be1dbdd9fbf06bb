// A cookie proves a browser, not a person's will. The rule is that of Go's CrossOriginProtection; it applies
// only where the platform's cookie is the credential: a bearer token cannot be sent by someone else's page.
import type { IncomingMessage } from 'node:http';
import { Forbidden } from '#core/kernel/errors.ts';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Throws Forbidden for a mutation that another site's page sent with this browser's cookie. */
export function checkOrigin(req: IncomingMessage, origin: string): void {
  if (SAFE.has(req.method ?? '') || req.headers.authorization !== undefined) return;
  if (!req.headers.cookie?.includes('__Host-svc_')) return;
  if (!isCrossSite(req, origin)) return;
  throw new Forbidden('cross_site', `this change was sent by another site; open ${origin} and try again there`);
}

function isCrossSite(req: IncomingMessage, origin: string): boolean {
  const from = req.headers.origin;
  // The configured origin decides: the Host header is the caller's word, and a page of any name that leads
  // here could be its own origin.
  if (from !== undefined) return from !== origin;
  const site = req.headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}
