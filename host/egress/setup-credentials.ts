// Credentials of the caller a run works for: the guest names which, the proxy opens them and writes them into
// the request.
import { createHash } from 'node:crypto';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { openSetup } from '#contract/crypto/encrypted-setup.ts';
import { type Credential, FIELDS_HEADER, SETUP_HEADER, type Written, writeCredentials } from '#contract/wire/setup-injection.ts';
import { EgressRefused } from '#drivers/outbound/connect.ts';

/** Opens a connection over TLS to a host that proved its name. */
export type OpenSecure = (host: string, port: number, tls?: { cert: string; key: string }) => Promise<TLSSocket>;

type OAuth2 = NonNullable<Written['oauth2']>;

const MAX_TOKEN_BYTES = 64 * 1024;
const TOKEN_MS = 15_000;
const EARLY_MS = 30_000;

/**
 * Those of the named fields that go to this very host. @throws EgressRefused where one of them does not, or
 * nothing opens
 */
export function credentialsIn(headers: IncomingHttpHeaders, host: string, key: Uint8Array | undefined, now: number): Credential[] | undefined {
  const encryptedSetup = headers[SETUP_HEADER];
  const wanted = String(headers[FIELDS_HEADER] ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  // A request that names no field has no caller's permission: having been given a sealed text once opens no
  // host.
  if (typeof encryptedSetup !== 'string' || key === undefined || wanted.length === 0) return undefined;
  const credentials = openSetup(key, encryptedSetup, now);
  if (!credentials) throw new EgressRefused(403, `The credentials for ${host} are not valid any more: call the agent again.`);
  return wanted.map((name) => {
    const credential = credentials.find(({ field }) => field === name);
    if (!credential?.inject.hosts.includes(host))
      throw new EgressRefused(403, `${name.slice(0, 64)} is not for ${host}: its field names the hosts that get it.`);
    return credential;
  });
}

export class ClientTokens {
  readonly #kept = new Map<string, { token: Promise<string>; until: number }>();
  readonly #open: OpenSecure;

  constructor(open: OpenSecure) {
    this.#open = open;
  }

  /**
   * The request's headers and target with its credentials; of OAuth 2 with a token that was fetched for them.
   */
  async write(target: string, headers: IncomingHttpHeaders, credentials: readonly Credential[]): Promise<Written> {
    const own = Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string' && !isOurs(entry[0]));
    const written = writeCredentials(target, Object.fromEntries(own), credentials);
    if (written.oauth2) written.headers['authorization'] = `Bearer ${await this.#token(written.oauth2)}`;
    return written;
  }

  /** The API refused the token: the next request gets another. */
  drop(of: OAuth2): void {
    this.#kept.delete(keyOf(of));
  }

  #token(of: OAuth2): Promise<string> {
    const key = keyOf(of);
    const cachedToken = this.#kept.get(key);
    if (cachedToken && cachedToken.until > performance.now()) return cachedToken.token;
    // Callers that come meanwhile wait for the same one.
    const entry = { token: Promise.resolve(''), until: performance.now() + TOKEN_MS };
    entry.token = this.#fetch(of).then(
      ({ token, seconds }) => {
        entry.until = performance.now() + Math.max(seconds * 1000 - EARLY_MS, 0);
        return token;
      },
      (error: unknown) => {
        if (this.#kept.get(key) === entry) this.#kept.delete(key);
        throw error;
      },
    );
    if (this.#kept.size > 500) this.#kept.clear();
    this.#kept.set(key, entry);
    return entry.token;
  }

  async #fetch({ token_url, scope, client_id, client_secret }: OAuth2): Promise<{ token: string; seconds: number }> {
    const url = new URL(token_url);
    const body = new URLSearchParams({ grant_type: 'client_credentials', ...(scope && { scope }) }).toString();
    const authorization = `Basic ${Buffer.from(`${encodeURIComponent(client_id)}:${encodeURIComponent(client_secret)}`).toString('base64')}`;
    const connection = await this.#open(url.hostname, url.port === '' ? 443 : Number(url.port));
    const headers = {
      host: url.host,
      authorization,
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': body.length,
      connection: 'close',
    };
    const text = await new Promise<string>((resolve, reject) => {
      const refuse = (why: string): void => {
        connection.destroy();
        reject(new EgressRefused(502, `${url.hostname} gave no token: ${why}.`));
      };
      const sent = httpRequest({ createConnection: () => connection, method: 'POST', path: `${url.pathname}${url.search}`, headers }, (answer) => {
        let responseBody = '';
        answer.on('data', (chunk: Buffer) => {
          responseBody += chunk.toString();
          if (responseBody.length > MAX_TOKEN_BYTES) refuse('its answer is too long');
        });
        answer.on('end', () =>
          answer.statusCode === 200 ? resolve(responseBody) : refuse(`it answered ${answer.statusCode}; check the client's id and secret`),
        );
      });
      sent.setTimeout(TOKEN_MS, () => refuse('it did not answer in time'));
      sent.on('error', () => refuse('the connection failed'));
      sent.end(body);
    });
    return tokenIn(text, url.hostname);
  }
}

function isOurs(name: string): boolean {
  return name === SETUP_HEADER || name === FIELDS_HEADER;
}

function keyOf({ token_url, scope, client_id, client_secret }: OAuth2): string {
  return createHash('sha256')
    .update(JSON.stringify([token_url, scope, client_id, client_secret]))
    .digest('hex');
}

function tokenIn(text: string, host: string): { token: string; seconds: number } {
  const refuse = (): never => {
    throw new EgressRefused(502, `${host} gave no token that can be used.`);
  };
  let tokenResponse: unknown;
  try {
    tokenResponse = JSON.parse(text);
  } catch {
    return refuse();
  }
  if (typeof tokenResponse !== 'object' || tokenResponse === null || !('access_token' in tokenResponse) || typeof tokenResponse.access_token !== 'string')
    return refuse();
  if (!/^[\x21-\x7e]{1,8192}$/.test(tokenResponse.access_token)) return refuse();
  const seconds = 'expires_in' in tokenResponse && typeof tokenResponse.expires_in === 'number' ? tokenResponse.expires_in : 300;
  return { token: tokenResponse.access_token, seconds: Math.min(seconds, 86_400) };
}
