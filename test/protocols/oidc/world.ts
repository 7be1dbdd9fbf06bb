// The issuer over TLS, under an authority that only its clients are told to trust, with the API beside it;
// and programs that sign people in by it, described by documents of their own.
import { readFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent, fetch as undiciFetch } from 'undici';
import { serveAuth } from '#api/routes/identity/test/sign-in.ts';
import { Browser, type Page } from '#drivers/idp/test-browser.ts';
import { certificateFor, tlsService } from '../../support/tls.ts';

/** Where browsers are sent back to, and where nothing serves. */
export const BACK = 'https://rp.example/callback';
export const OUT = 'https://rp.example/signed-out';

export interface OidcWorld {
  api: Awaited<ReturnType<typeof serveAuth>>;
  issuer: string;
  /** Of the authority. */
  caFile: string;
  /** As who trusts it. */
  fetch: typeof fetch;
  /** The client id of a program with this in its document, over https. */
  client(more?: Record<string, unknown>): string;
  /** The same at a plain http address: its document is read each time, and `describe` changes it. */
  plainClient(more?: Record<string, unknown>): { id: string; describe(more: Record<string, unknown>): void };
  browser(): Browser;
  /**
   * Follows an address that a client opens, signs the person in and allows what is asked; where the browser
   * is sent then.
   */
  signIn(url: URL, as?: { browser?: Browser; email?: string }): Promise<URL>;
  close(): Promise<void>;
}

export async function startOidcWorld(): Promise<OidcWorld> {
  const documents: Record<string, unknown>[] = [];
  const answer =
    (scheme: string): RequestListener =>
    (request, response) => {
      const more = documents[Number(/\d+/.exec(request.url ?? '')?.[0])];
      const document = { ...DOCUMENT, client_id: `${scheme}://${request.headers.host}${request.url}`, ...more };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(document));
    };
  const secure = await tlsService('localhost', answer('https'));
  const plain = createServer(answer('http'));
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
  // Listening on a port.
  const plainHost = `127.0.0.1:${(plain.address() as AddressInfo).port}`;
  const certificate = await certificateFor('localhost');
  const clients = { localHosts: [`localhost:${secure.port}`, plainHost], ca: await readFile(secure.caFile, 'utf8') };
  const api = await serveAuth(undefined, clients, certificate);
  const trusting = new Agent({ connect: { ca: await readFile(certificate.caFile, 'utf8') } });
  // Safe: Node's own fetch is this function, from another release of the same package.
  const own = undiciFetch as unknown as typeof fetch;
  const send: typeof fetch = (input, init) => own(input, Object.assign({}, init, { dispatcher: trusting }));
  const browser = (): Browser => new Browser('https://rp.example/', send);
  const document = (more: Record<string, unknown>): number => documents.push(more) - 1;
  return {
    api,
    issuer: `${api.baseUrl}/idp`,
    caFile: certificate.caFile,
    fetch: send,
    client: (more = {}) => `https://localhost:${secure.port}/${document(more)}.json`,
    plainClient(more = {}) {
      const at = document(more);
      return { id: `http://${plainHost}/${at}.json`, describe: (next) => void (documents[at] = next) };
    },
    browser,
    async signIn(url, { browser: of = browser(), email = 'ada@svc.local' } = {}) {
      let page: Page = await of.get(url);
      if (page.body.includes('type="password"')) page = await of.post(page, { email, password: await api.password(email) });
      if (page.body.includes('name="allow"')) page = await of.post(page, { allow: 'yes' });
      if (!page.left) throw new Error(`the page led nowhere: ${page.status} ${page.body}`);
      return page.left;
    },
    async close() {
      await api.close();
      await trusting.close();
      await secure.close();
      plain.close();
      await certificate.remove();
    },
  };
}

const DOCUMENT = {
  client_name: 'Reader',
  redirect_uris: [BACK],
  post_logout_redirect_uris: [OUT],
  grant_types: ['authorization_code', 'refresh_token'],
};
