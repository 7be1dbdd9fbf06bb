// The tool as a client of the identity provider.
import * as oidc from 'openid-client';
import { CLI_CLIENT_ID } from '#contract/identity/oauth.ts';
import type { Credential } from './credentials.ts';
import { CliError } from '../lib/errors.ts';
import { EXIT } from '../lib/exit-codes.ts';

export type Tokens = oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers;

export async function discoverIssuer(issuer: string, clientId: string = CLI_CLIENT_ID): Promise<oidc.Configuration> {
  const url = URL.parse(issuer);
  if (!url) throw new CliError(`"${issuer}" is not the address of an identity provider.`, EXIT.usage);
  // Plain http only to this machine: elsewhere tokens would travel in the open.
  const local = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname) || url.hostname.endsWith('.localhost');
  try {
    return await oidc.discovery(url, clientId, undefined, oidc.None(), { execute: local ? [oidc.allowInsecureRequests] : [], timeout: 15 });
  } catch (error) {
    throw new CliError(`The identity provider ${issuer} does not answer. Is the platform up (npm run status)? Is --issuer right?`, EXIT.unreachable, {
      cause: error,
    });
  }
}

/** What is kept of a token answer. */
export function credentialOf(
  tokens: Tokens,
  from: { issuer: string; clientId: string; email?: string | undefined; refreshToken?: string | undefined },
  now: number,
): Credential {
  const lifetime = tokens.expiresIn();
  const refreshToken = tokens.refresh_token ?? from.refreshToken;
  return {
    access_token: tokens.access_token,
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
    ...(lifetime === undefined ? {} : { expires_at: now + lifetime * 1000 }),
    issuer: from.issuer,
    client_id: from.clientId,
    ...(from.email === undefined ? {} : { email: from.email }),
  };
}
