// Headers that pass from the caller to the agent and back. Only the platform sets `x-svc-*` and forwarding
// headers.
import type { IncomingMessage } from 'node:http';
import { foldedName, HEADER } from '#contract/wire/headers.ts';
import type { PlatformConfig } from '#core/kernel/ctx.ts';
import { guestOf } from '../http/guest.ts';
import { isTls } from './host.ts';
import type { IngressRoute } from './route-cache.ts';
import type { Admitted, Visit, Ready, Step } from './step.ts';

/** RFC 9110 §7.6.1, and what only this hop may say. */
const NOT_PASSED = new Set([
  'connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'expect',
  'forwarded', 'x-real-ip', 'x-request-id', 'authorization', 'cookie', 'integration_token',
]); // prettier-ignore

interface Passage extends Pick<Visit, 'requestId'>, Pick<Admitted, 'callerAuthorization' | 'person'> {
  request: Pick<IncomingMessage, 'rawHeaders' | 'headers'>;
  route: Pick<IngressRoute, 'apiKey'>;
  foreign?: boolean;
}

/** Name and value in turn, for the agent. */
export function toAgent({ request, requestId, route, callerAuthorization, person, foreign }: Passage, { ip, https }: { ip: string; https: boolean }): string[] {
  const { rawHeaders: raw, headers: { connection } } = request; // prettier-ignore
  const plain = connection === undefined || connection === 'keep-alive' || connection === 'close';
  const named = plain ? undefined : new Set(connection.split(',').map((name) => name.trim().toLowerCase()));
  const headers: string[] = [];
  const cookies = person === undefined ? [] : [person.cookie];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] ?? '').toLowerCase();
    const value = raw[i + 1] ?? '';
    // The platform has judged the origin: the agent, which knows only its own name, is not asked again.
    if (foreign && (name === 'origin' || name === 'cookie')) continue;
    if (name === 'cookie') {
      const rest = withoutPlatformCookies(value);
      if (rest !== '') cookies.push(rest);
    } else if (name === 'host') headers.push(name, value, 'x-forwarded-host', value);
    else if (!isPlatforms(name) && !named?.has(name)) headers.push(name, value);
  }
  headers.push('x-forwarded-for', ip, 'x-forwarded-proto', https ? 'https' : 'http', HEADER.requestId, requestId, 'authorization', `Bearer ${route.apiKey}`);
  if (cookies.length > 0) headers.push('cookie', cookies.join('; '));
  if (person) headers.push(HEADER.userId, person.userId, ...(/^[\x21-\x7e]+$/.test(person.email) ? [HEADER.userEmail, person.email] : []));
  if (callerAuthorization !== undefined) headers.push(HEADER.callerAuthorization, callerAuthorization);
  return headers;
}

/** `trustProxy`: a proxy of ours stands in front; the last address of X-Forwarded-For is its word. */
export function createHeaders({ baseUrl }: PlatformConfig, trustProxy: boolean): Step<Visit & Admitted & { foreign?: boolean }, Pick<Ready, 'headers'>> {
  const https = baseUrl.startsWith('https:');
  return (visit) => ({ headers: toAgent(visit, { ip: callerOf(visit.request, trustProxy), https: https || isTls(visit.request) }) });
}

function callerOf(request: IncomingMessage, trustProxy: boolean): string {
  // Another agent has no address.
  if (guestOf(request) !== undefined) return 'unknown';
  // Nothing of the operator's stands before our own TLS: there the header is the caller's word.
  const forwarded = trustProxy && !isTls(request) ? String(request.headers['x-forwarded-for'] ?? '').split(',').at(-1)?.trim() : undefined; // prettier-ignore
  return forwarded || (request.socket.remoteAddress ?? '');
}

/** Under every name that an agent's framework takes for the same. */
function isPlatforms(name: string): boolean {
  const folded = foldedName(name);
  return NOT_PASSED.has(name) || NOT_PASSED.has(folded) || folded.startsWith('x-svc-') || folded.startsWith('x-forwarded-');
}

/** The grant that a caller passes on. */
export function grantOf({ headers }: IncomingMessage): string | undefined {
  const grant = headers[HEADER.grant];
  return typeof grant === 'string' ? grant : undefined;
}

/** Name and value in turn, but for what says how the body came. */
export function withoutLength(headers: readonly string[]): string[] {
  const remaining: string[] = [];
  for (let i = 0; i + 1 < headers.length; i += 2)
    if (headers[i] !== 'content-length' && headers[i] !== 'content-encoding') remaining.push(headers[i] ?? '', headers[i + 1] ?? '');
  return remaining;
}

/** The platform's session never reaches an agent, whatever its browser sent. */
function withoutPlatformCookies(header: string): string {
  if (!header.includes('svc_')) return header;
  const agentCookies = header
    .split(';')
    .filter((pair) => !/^(?:__host-svc_|__secure-svc_|svc_session$)/i.test(pair.slice(0, pair.includes('=') ? pair.indexOf('=') : undefined).trim()));
  return agentCookies.join(';').trim();
}

type Values = Record<string, string | string[] | undefined>;

/**
 * For the caller; `x-svc-receipt-id`, `x-svc-trace-id` and the host's own words are not an agent's to say.
 */
export function toCaller(headers: Values, requestId: string): Record<string, string | string[]> {
  const passed: Record<string, string | string[]> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || NOT_RETURNED.has(foldedName(name))) continue;
    if (name === 'set-cookie') passed[name] = [value].flat().filter(isOwnCookie).map(ownCookie);
    else if (name === 'clear-site-data') Object.assign(passed, clearing(value));
    else passed[name] = value;
  }
  passed[HEADER.requestId] = requestId;
  return passed;
}

const NOT_RETURNED = new Set([
  'connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade', 'trailer', HEADER.receiptId, HEADER.traceId, HEADER.caller,
  HEADER.callerAuthorization, HEADER.runToken, 'x-svc-runtime-error',
]); // prettier-ignore

/**
 * Of cookies, a browser would clear those of the whole registrable domain, the platform's and every other
 * agent's (W3C Clear Site Data, 3.1). The rest is the origin's own.
 */
function clearing(value: string | string[]): Record<string, string> {
  const directives = String(value).split(',').map((one) => one.trim()); // prettier-ignore
  const own = directives.includes('"*"') ? OWN_DATA : OWN_DATA.filter((one) => directives.includes(one));
  return own.length === 0 ? {} : { 'clear-site-data': own.join(', ') };
}

const OWN_DATA: readonly string[] = ['"cache"', '"storage"', '"executionContexts"', '"prefetchCache"', '"prerenderCache"'];

/** Sessions at its origin are the platform's to give, not the agent's. */
function isOwnCookie(cookie: string): boolean {
  return !/^\s*(?:__host-|__secure-)?svc_/i.test(cookie);
}

/** An agent's cookies are its own host's: one with a Domain would reach its neighbours. */
function ownCookie(cookie: string): string {
  return cookie.replace(/;\s*domain\s*=[^;]*/gi, '');
}
