// One request's Http: cookies, headers and the caller's life, each worked out only when asked for.
import type { Logger } from 'pino';
import { type Refusal, refusalOf, unexpected } from './errors.ts';
import type { HttpContext } from './state.ts';
import { Redirect, Reply, type Cookies, type CookieOptions, type HeaderValues, type Http } from './handlers.ts';

export class KoaHttp implements Http {
  readonly #ctx: HttpContext;
  readonly #shutdown: AbortSignal;
  readonly #log: Logger;
  #signal: AbortSignal | undefined;
  #gone: AbortSignal | undefined;

  constructor(ctx: HttpContext, shutdown: AbortSignal, log: Logger) {
    this.#ctx = ctx;
    this.#shutdown = shutdown;
    this.#log = log;
  }

  get ip(): string {
    return this.#ctx.ip;
  }

  get wantsHtml(): boolean {
    return this.#ctx.get('accept').includes('text/html');
  }

  get lastEventId(): string | undefined {
    return this.header('last-event-id');
  }

  get signal(): AbortSignal {
    this.#signal ??= AbortSignal.any([this.gone, this.#shutdown]);
    return this.#signal;
  }

  get gone(): AbortSignal {
    this.#gone ??= goneSignal(this.#ctx);
    return this.#gone;
  }

  get cookies(): Cookies {
    return new HostCookies(this.#ctx);
  }

  header(name: string): string | undefined {
    const value = this.#ctx.get(name);
    return value === '' ? undefined : value;
  }

  headersFrom(prefix: string): Record<string, string> {
    return Object.fromEntries(Object.keys(this.#ctx.headers).flatMap((name) => (name.startsWith(prefix) ? [[name, this.#ctx.get(name)]] : [])));
  }

  reply<T, const S extends number>(status: S, body: T, headers: HeaderValues = {}): Reply<T, S> {
    return new Reply(status, body, headers);
  }

  redirect<T>(url: string, facts: T): Redirect<T> {
    return new Redirect(url, facts);
  }

  refusal(error: unknown): Refusal {
    const { requestId, route } = this.#ctx.state;
    const known = refusalOf(error, requestId);
    if (!known) this.#log.error({ err: error, request_id: requestId, route }, 'a part of a request failed');
    return known ?? unexpected(error, requestId);
  }
}

function goneSignal(ctx: HttpContext): AbortSignal {
  const controller = new AbortController();
  if (ctx.res.closed) controller.abort();
  ctx.res.once('close', () => controller.abort());
  return controller.signal;
}

class HostCookies implements Cookies {
  readonly #ctx: HttpContext;
  constructor(ctx: HttpContext) {
    this.#ctx = ctx;
  }

  get(name: string): string | undefined {
    return cookiesOf(this.#ctx.req.headers.cookie)[name];
  }

  set(name: string, value: string, { maxAge, sameSite = 'lax' }: CookieOptions = {}): void {
    // Koa refuses secure cookies over plain http with a 500; browsers treat loopback as secure.
    this.#ctx.cookies.secure = true;
    const lasting = maxAge === undefined ? {} : { maxAge: maxAge * 1000 };
    this.#ctx.cookies.set(name, value, { secure: true, httpOnly: true, path: '/', sameSite, overwrite: true, signed: false, ...lasting });
  }

  clear(name: string): void {
    this.#ctx.cookies.secure = true;
    this.#ctx.cookies.set(name, null, { secure: true, httpOnly: true, path: '/', sameSite: 'lax', overwrite: true, signed: false });
  }
}

/** The first of each name wins, as RFC 6265 servers may choose; a planted second one changes nothing. */
export function cookiesOf(header: string | undefined): Record<string, string> {
  const cookies: Record<string, string> = Object.create(null);
  if (header === undefined) return cookies;
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=');
    const name = bare(pair.slice(0, equals));
    if (equals > 0 && cookies[name] === undefined) cookies[name] = bare(pair.slice(equals + 1));
  }
  return cookies;
}

/**
 * Only spaces and tabs: a browser lets another host set a cookie whose name begins with some other white
 * space, and then with `__Host-`.
 */
const bare = (text: string): string => text.replace(/^[ \t]+|[ \t]+$/g, '');
