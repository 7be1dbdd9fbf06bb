// Documents that may be kept for a minute, and are then asked for again by their tag.
import { createHash } from 'node:crypto';

const SINCE = new Date().toUTCString();

/** Status and headers of the answer; 304 has no body. */
export function cacheable(ifNoneMatch: string | undefined, body: string): { status: 200 | 304; headers: Record<string, string> } {
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
  const known = ifNoneMatch?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag || tag.trim() === '*') ?? false;
  return { status: known ? 304 : 200, headers: { etag, 'cache-control': 'max-age=60', 'last-modified': SINCE } };
}
