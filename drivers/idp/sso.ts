// Identity providers that organizations name: OpenID Connect issuers, reached only over the public internet
// and in bounded time.
import { addressProblem, type LocalHosts } from '../llm/address.ts';
import { outboundFetch } from '../llm/outbound.ts';
import type { Lookup } from '../outbound/lookup.ts';
import { createLoginProvider } from './login.ts';
import { type Identity, type LoginAnswer, LoginError, type LoginProvider, type LoginRequest } from './port.ts';

export interface SsoClient {
  issuer: string;
  clientId: string;
  clientSecret: string;
  redirectUri: string;
}

export interface SsoProviders {
  /** Why the issuer may not be used, to follow its name; undefined: it may. Asks nobody. */
  problemOf(issuer: string): string | undefined;
  /**
   * Where to send the browser. Throws LoginError `unreachable`, also for what is no issuer of OpenID Connect.
   */
  authorizationUrl(client: SsoClient, request: LoginRequest): Promise<URL>;
  /** Exchanges the code and checks the ID token with its signature. Throws LoginError. */
  finish(client: SsoClient, answer: LoginAnswer): Promise<Identity>;
}

export interface SsoOptions {
  /** `host` or `host:port` that the operator allows although it is internal, over plain http too. */
  localHosts?: LocalHosts | undefined;
  lookup?: Lookup | undefined;
}

const SETTING = 'SVC_SSO_LOCAL_HOSTS';
const MAX_BYTES = 1_048_576;

export function ssoProviders({ localHosts = [], lookup }: SsoOptions): SsoProviders {
  async function asking<T>(client: SsoClient, ask: (provider: LoginProvider) => Promise<T>): Promise<T> {
    const { fetch, close } = outboundFetch({ localHosts, lookup, connectMs: 5_000, silenceMs: 10_000, maxBytes: MAX_BYTES });
    try {
      // Whether its word for an address is enough, who asks decides.
      return await ask(createLoginProvider({ ...client, homeUri: client.redirectUri, unverified: true, signatures: true, fetch }));
    } finally {
      await close();
    }
  }
  return {
    problemOf: (issuer) => addressProblem(issuer, localHosts, SETTING),
    async authorizationUrl(client, request) {
      const url = await asking(client, (provider) => provider.authorizationUrl(request));
      if (url.protocol === 'https:' || url.protocol === new URL(client.issuer).protocol) return url;
      throw new LoginError('unreachable', 'the issuer names no page of https to sign in at');
    },
    finish: (client, answer) => asking(client, (provider) => provider.finish(answer)),
  };
}
