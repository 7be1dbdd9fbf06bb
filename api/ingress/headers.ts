// Headers that pass from the caller to the agent and back. Only the platform sets `x-svc-*` and forwarding
// headers.
import { foldedName, HEADER } from '#contract/wire/headers.ts';

/** RFC 9110 §7.6.1, and what only this hop may say. */
const NOT_PASSED = new Set([
  'connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'expect',
  'forwarded', 'x-real-ip', 'x-request-id', 'authorization', 'cookie', 'integration_token',
]); // prettier-ignore

export interface Passage {
  /** As Node gives them: name, value, name, value … */
  raw: string[];
  connection: string | undefined;
  ip: string;
  https: boolean;
  requestId: string;
  apiKey: string;
  /** The caller's own Authorization, when it is for the agent and not for the platform. */
  callerAuthorization: string | undefined;
  /**
   * A page of another origin calls, and the platform has judged it: the agent, which knows only its own name,
   * is not asked again. Cookies are none of its.
   */
  judgedOrigin?: boolean;
  /** Who came by a session of this agent's origin. */
  visitor?: { userId: string; email: string; cookie: string } | undefined;
}

/** Name and value in turn, for the agent. */
export function toAgent({ raw, connection, ip, https, requestId, apiKey, callerAuthorization, judgedOrigin, visitor }: Passage): string[] {
  const named =
    connection === undefined || connection === 'keep-alive' || connection === 'close'
      ? undefined
      : new Set(
          connection
            .toLowerCase()
            .split(',')
            .map((name) => name.trim()),
        );
  const headers: string[] = [];
  const cookies = visitor === undefined ? [] : [visitor.cookie];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] ?? '').toLowerCase();
    const value = raw[i + 1] ?? '';
    if (judgedOrigin && (name === 'origin' || name === 'cookie')) continue;
    if (name === 'cookie') {
      const rest = withoutPlatformCookies(value);
      if (rest !== '') cookies.push(rest);
    } else if (name === 'host') headers.push(name, value, 'x-forwarded-host', value);
    else if (!isPlatforms(name) && !named?.has(name)) headers.push(name, value);
  }
  headers.push('x-forwarded-for', ip, 'x-forwarded-proto', https ? 'https' : 'http', HEADER.requestId, requestId, 'authorization', `Bearer ${apiKey}`);
  if (cookies.length > 0) headers.push('cookie', cookies.join('; '));
  if (visitor) headers.push(HEADER.userId, visitor.userId, ...(/^[\x21-\x7e]+$/.test(visitor.email) ? [HEADER.userEmail, visitor.email] : []));
  if (callerAuthorization !== undefined) headers.push(HEADER.callerAuthorization, callerAuthorization);
  return headers;
}

/** Under every name that an agent's framework takes for the same. */
function isPlatforms(name: string): boolean {
  const folded = foldedName(name);
  return NOT_PASSED.has(name) || NOT_PASSED.has(folded) || folded.startsWith('x-svc-') || folded.startsWith('x-forwarded-');
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
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
  'trailer',
  HEADER.receiptId,
  HEADER.traceId,
  HEADER.caller,
  HEADER.callerAuthorization,
  HEADER.runToken,
  'x-svc-runtime-error',
]);

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
