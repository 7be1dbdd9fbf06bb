// A browser that signs in by an organization's own provider, step by step, against the API of a test.
import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { createClient } from '#contract/client.ts';
import { LOGIN_COOKIE, SESSION_COOKIE } from '#core/identity/cookies.ts';

export interface Answer {
  status: number;
  body: unknown;
  /** Of an error. */
  code: string | undefined;
}

const Refused = z.looseObject({ detail: z.looseObject({ code: z.string() }) });

export class SsoBrowser {
  readonly #api: string;
  readonly #cookies = new Map<string, string>();

  constructor(api: string) {
    this.#api = api;
  }

  get session(): string | undefined {
    return this.#cookies.get(SESSION_COOKIE);
  }
  get login(): string | undefined {
    return this.#cookies.get(LOGIN_COOKIE);
  }
  plant(name: string, value: string): void {
    this.#cookies.set(name, value);
  }

  async send(method: string, path: string, { body, headers = {} }: { body?: object; headers?: Record<string, string> } = {}): Promise<Answer> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const sent = { cookie, 'sec-fetch-site': 'same-origin', ...(body && { 'content-type': 'application/json' }), ...headers };
    const response = await fetch(this.#api + path, { method, headers: sent, redirect: 'manual', ...(body && { body: JSON.stringify(body) }) });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      this.#cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    const text = await response.text();
    const parsed: unknown = text === '' ? undefined : JSON.parse(text);
    const refused = Refused.safeParse(parsed);
    return { status: response.status, body: parsed, code: refused.success ? refused.data.detail.code : undefined };
  }

  /** Where the provider's page is. */
  async start(query: Record<string, string>): Promise<URL> {
    const { body } = await this.send('GET', `/v1/auth/sso/start?${new URLSearchParams(query)}`);
    return new URL(z.looseObject({ authorization_url: z.string() }).parse(body).authorization_url);
  }

  /** Through the provider, to the address at which it sends back: path and query. */
  async atProvider(authorizationUrl: URL): Promise<string> {
    let url = authorizationUrl;
    const jar = new Map<string, string>();
    for (let hop = 0; hop < 10; hop += 1) {
      const response = await fetch(url, { redirect: 'manual', headers: { cookie: [...jar].map((one) => one.join('=')).join('; ') } });
      await response.body?.cancel();
      for (const line of response.headers.getSetCookie()) {
        const [pair = ''] = line.split(';');
        jar.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
      }
      const location = response.headers.get('location');
      if (location === null) throw new Error(`the provider answered ${response.status} at ${url.pathname}`);
      url = new URL(location, url);
      if (url.origin !== authorizationUrl.origin) return url.pathname + url.search;
    }
    throw new Error('the provider redirects without end');
  }

  /** All of it. */
  async signIn(organization: string, more: Record<string, string> = {}): Promise<Answer> {
    return this.send('GET', await this.atProvider(await this.start({ organization, ...more })));
  }

  /** As `svc login --org` does: an access token for a program. */
  async programToken(organization: string): Promise<string> {
    const verifier = randomBytes(32).toString('base64url');
    const cli_challenge = createHash('sha256').update(verifier).digest('base64url');
    const { body } = await this.signIn(organization, { cli_port: '41873', cli_challenge, cli_state: 'a'.repeat(20) });
    const { redirect_to } = z.looseObject({ redirect_to: z.string() }).parse(body);
    const code = new URL(redirect_to).searchParams.get('code') ?? '';
    return (await createClient({ baseUrl: this.#api }).auth.redeemSso({ body: { code, verifier } })).access_token;
  }

  /** Links the account that it is signed in to with who is at the provider. */
  async link(organization: string): Promise<Answer> {
    const begun = await this.send('POST', `/v1/me/organizations/${organization}/sso/link`);
    if (begun.status !== 200) return begun;
    return this.send('GET', await this.atProvider(new URL(z.looseObject({ authorization_url: z.string() }).parse(begun.body).authorization_url)));
  }
}
