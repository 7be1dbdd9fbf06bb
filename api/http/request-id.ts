import { randomUUID } from 'node:crypto';

const SANE_ID = /^[A-Za-z0-9._-]{8,128}$/;

/** Names no record, so it need not sort: made the cheapest way, once for every request. */
export function requestId(offered?: string | string[]): string {
  return typeof offered === 'string' && SANE_ID.test(offered) ? offered : `req_${randomUUID()}`;
}
