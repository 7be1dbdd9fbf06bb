// An access token that works now. Refreshing is serialised across processes: a refresh token works once, and
// a second use of it signs the person out everywhere.
import * as oidc from 'openid-client';
import type { Credential, CredentialStore } from './credentials.ts';
import { CliError, NotSignedIn } from '../lib/errors.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { credentialOf, discoverIssuer } from './oidc.ts';

/** Refreshed this long before the end, milliseconds. */
const MARGIN_MS = 60_000;

export interface Session {
  /** Throws NotSignedIn. */
  token(): Promise<string>;
  /** A newer token than the one just refused; undefined when there is none to be had. */
  renew(refused: string): Promise<string | undefined>;
}

export interface SessionOptions {
  store: CredentialStore;
  api: string;
  /** From SVC_TOKEN or --token: used as it is. */
  fixedToken?: string | undefined;
  clock?: () => number;
}

export function createSession({ store, api, fixedToken, clock = Date.now }: SessionOptions): Session {
  if (fixedToken !== undefined) return { token: async () => fixedToken, renew: async () => undefined };
  const signedIn = (credential: Credential | undefined): Credential => {
    if (!credential) throw new NotSignedIn(`You are not signed in at ${api}. Sign in with: svc login${api === 'http://localhost:8080' ? '' : ` --api ${api}`}`);
    return credential;
  };
  const refreshed = (isOld: (credential: Credential) => boolean) =>
    store.update(api, async (current) => {
      const credential = signedIn(current);
      // Another process may have refreshed while this one waited.
      return isOld(credential) ? refresh(credential, api, clock()) : credential;
    });
  return {
    async token() {
      const credential = signedIn(await store.get(api));
      if (!isOver(credential, clock()) || credential.refresh_token === undefined) return credential.access_token;
      return signedIn(await refreshed((current) => isOver(current, clock()))).access_token;
    },
    async renew(refused) {
      const credential = await store.get(api);
      if (credential?.refresh_token === undefined) return undefined;
      const newer = await refreshed((current) => current.access_token === refused);
      return newer?.access_token === refused ? undefined : newer?.access_token;
    },
  };
}

function isOver(credential: Credential, now: number): boolean {
  return credential.expires_at !== undefined && credential.expires_at - MARGIN_MS < now;
}

async function refresh(credential: Credential, api: string, now: number): Promise<Credential> {
  const { refresh_token: token, issuer, client_id: clientId } = credential;
  if (token === undefined || issuer === undefined || clientId === undefined) return credential;
  const configuration = await discoverIssuer(issuer, clientId);
  try {
    const tokens = await oidc.refreshTokenGrant(configuration, token);
    return credentialOf(tokens, { issuer, clientId, email: credential.email, refreshToken: token }, now);
  } catch (error) {
    if (error instanceof oidc.ResponseBodyError && error.error === 'invalid_grant') {
      throw new NotSignedIn(`Your sign-in at ${api} is over. Sign in again with: svc login`, { cause: error });
    }
    throw new CliError(`The identity provider ${issuer} does not answer, so the access token could not be renewed. Try again in a minute.`, EXIT.unreachable, {
      cause: error,
    });
  }
}
