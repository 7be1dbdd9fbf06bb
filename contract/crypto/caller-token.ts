// The header x-svc-caller: base64url(JSON) "." base64url(HMAC-SHA256). Signed with the key of the instance
// that gets it, which no other agent has: what one agent is told proves nothing at another, and what no part
// of the platform wrote is believed nowhere.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { fromBase64Url, toBase64Url } from '../wire/base64url.ts';
import { CallerClaims, type Caller } from '../wire/caller.ts';
import { LEEWAY_SECONDS } from './grant-token.ts';

/** The same key is a bearer token: a signature of another purpose is none here. */
const PURPOSE = 'svc/caller/v1.';
const MAX_LENGTH = 64 * 1024;

export function signCaller(claims: CallerClaims, key: string): string {
  const payload = toBase64Url(new TextEncoder().encode(JSON.stringify(claims)));
  return `${payload}.${toBase64Url(macOf(payload, key))}`;
}

/** Undefined unless the platform said it to this instance, now, for this run. `now` in epoch seconds. */
export function readCaller(token: string, key: string, { run, now }: { run: string | null; now: number }): Caller | undefined {
  const [payload, signature, ...more] = token.length > MAX_LENGTH ? [] : token.split('.');
  if (!payload || !signature || more.length > 0) return undefined;
  const given = fromBase64Url(signature);
  const due = macOf(payload, key);
  if (given?.length !== due.length || !timingSafeEqual(given, due)) return undefined;
  const claims = CallerClaims.safeParse(parsed(fromBase64Url(payload)));
  if (!claims.success || claims.data.run !== run || claims.data.exp + LEEWAY_SECONDS < now) return undefined;
  return claims.data.caller;
}

function macOf(payload: string, key: string): Buffer {
  return createHmac('sha256', key).update(`${PURPOSE}${payload}`).digest();
}

function parsed(bytes: Uint8Array | undefined): unknown {
  try {
    return bytes && JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}
