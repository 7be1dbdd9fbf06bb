// A cookie proves a browser, not a person's will. The rule is that of Go's CrossOriginProtection; it applies only where the
// platform's cookie is the credential: a bearer token cannot be sent by someone else's page.
import type { IncomingMessage } from 'node:http';
import { Forbidden } from '../../core/errors.ts';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Throws Forbidden for a mutation that another site's page sent with this browser's cookie. */
export function checkOrigin(req: IncomingMessage, origin: string): void {
  if (SAFE.has(req.method ?? '') || req.headers.authorization !== undefined) return;
  if (!req.headers.cookie?.includes('__Host-svc_')) return;
  if (!isCrossSite(req, origin)) return;
  throw new Forbidden('cross_site', 'this change was sent by another site; open the dashboard and try again there');
}

function isCrossSite(req: IncomingMessage, origin: string): boolean {
  const from = req.headers.origin;
  if (from === origin) return false;
  const site = req.headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  if (from === undefined) return false;
  return URL.parse(from)?.host !== req.headers.host;
}
