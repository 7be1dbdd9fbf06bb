// Just enough of a browser for tests: cookies per path, redirects within the issuer, forms by their action.

export interface Page {
  url: URL;
  status: number;
  headers: Headers;
  body: string;
  /** Where the provider sent the browser away to, when it did. */
  left: URL | undefined;
}

export class Browser {
  readonly #cookies = new Map<string, { value: string; path: string }>();
  readonly #stopAt: string;
  readonly #send: typeof fetch;

  /** Stops before an address that starts with `stopAt`, or that is on another origin. */
  constructor(stopAt = 'http://127.0.0.1:41873/', send = fetch) {
    this.#stopAt = stopAt;
    this.#send = send;
  }

  /** Every Set-Cookie line so far. */
  readonly seen: string[] = [];

  get(url: URL, headers: Record<string, string> = {}): Promise<Page> {
    return this.#go(url, { method: 'GET', headers });
  }

  /** One request, wherever it leads. */
  async send(method: string, url: URL, headers: Record<string, string> = {}, body?: string): Promise<{ status: number; headers: Headers; body: string }> {
    const site = { 'sec-fetch-site': 'same-origin', cookie: this.#cookieHeader(url) };
    const response = await this.#send(url, { method, headers: { ...site, ...headers }, redirect: 'manual', ...(body === undefined ? {} : { body }) });
    this.#remember(response);
    return { status: response.status, headers: response.headers, body: await response.text() };
  }

  plant(name: string, value: string): void {
    this.#cookies.set(`${name};/`, { value, path: '/' });
  }

  cookie(name: string): string {
    return this.#cookies.get(`${name};/`)?.value ?? '';
  }

  /** Sends the page's only form with its hidden fields and the given ones. */
  post(page: Page, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Page> {
    const action = decode(/<form method="post" action="([^"]+)"/.exec(page.body)?.[1] ?? '');
    const hidden = [...page.body.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [name, decode(value)]);
    const body = new URLSearchParams({ ...Object.fromEntries(hidden), ...fields });
    return this.#go(new URL(action, page.url), { method: 'POST', body, headers: { origin: page.url.origin, 'sec-fetch-site': 'same-origin', ...headers } });
  }

  async #go(start: URL, init: RequestInit): Promise<Page> {
    let [url, request] = [start, init];
    for (let hops = 0; hops < 12; hops++) {
      const headers = new Headers(request.headers);
      headers.set('cookie', this.#cookieHeader(url));
      if (!headers.has('accept')) headers.set('accept', 'text/html');
      const response = await this.#send(url, { ...request, headers, redirect: 'manual' });
      this.#remember(response);
      const location = response.headers.get('location');
      const page = { url, status: response.status, headers: response.headers, body: await response.text() };
      if (location === null) return { ...page, left: undefined };
      const next = new URL(location, url);
      if (next.origin !== start.origin || next.href.startsWith(this.#stopAt)) return { ...page, left: next };
      [url, request] = [next, { method: 'GET' }];
    }
    throw new Error(`too many redirects from ${start.href}`);
  }

  #cookieHeader(url: URL): string {
    const sent = [...this.#cookies].filter(([, { path }]) => url.pathname === path || url.pathname.startsWith(path.endsWith('/') ? path : `${path}/`));
    return sent.map(([name, { value }]) => `${name.split(';')[0]}=${value}`).join('; ');
  }

  #remember(response: Response): void {
    for (const line of response.headers.getSetCookie()) {
      this.seen.push(line);
      const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
      const at = pair.indexOf('=');
      const path = attributes.find((a) => a.toLowerCase().startsWith('path='))?.slice(5) ?? '/';
      const key = `${pair.slice(0, at)};${path}`;
      const value = pair.slice(at + 1);
      if (value === '' || attributes.some((a) => /^expires=Thu, 01 Jan 1970/i.test(a))) this.#cookies.delete(key);
      else this.#cookies.set(key, { value, path });
    }
  }
}

function decode(html: string): string {
  return html.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code))).replace(/&amp;/g, '&');
}
