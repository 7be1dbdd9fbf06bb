// Access tokens of issuers that do not keep to RFC 9068: without its type, the audience or the scopes under
// other names. What else an issuer signs, ID tokens above all, must not open anything here.
// The shapes are those of Microsoft's "Access token claims reference", Auth0's "Access token profiles",
// Okta's "OpenID Connect & OAuth 2.0 API", Amazon's "Understanding the access token" (Cognito), and
// Keycloak's class AccessToken.
import { z } from 'zod';
import { SIGN_IN_CLAIM } from '#contract/identity/oauth.ts';
import { PersonClaims } from './claims.ts';

const words = z.union([z.string(), z.array(z.string())]);

/** By which tokens of one sign-in are known. */
export const SignInClaims = z.looseObject({
  sub: z.string().min(1),
  iat: z.number().optional(),
  sid: z.string().max(200).optional(),
  client_id: z.string().max(500).optional(),
  azp: z.string().max(500).optional(),
  [SIGN_IN_CLAIM]: z.string().optional(),
});
export type SignInClaims = z.infer<typeof SignInClaims>;

export const OutsideClaims = z.looseObject({
  ...SignInClaims.shape,
  ...PersonClaims.shape,
  exp: z.number(),
  /** Absent in Cognito's. */
  aud: words.optional(),
  scope: z.string().optional(),
  /** Of Entra, as text; of Okta, as a list. */
  scp: words.optional(),
  /** Of Cognito: access or id. */
  token_use: z.string().optional(),
  /** Of Keycloak: Bearer, ID, Refresh, Logout, DPoP. */
  typ: z.string().optional(),
  cid: z.string().optional(),
  appid: z.string().optional(),
  cnf: z.unknown().optional(),
});
export type OutsideClaims = z.infer<typeof OutsideClaims>;

/** Only ID tokens and logout tokens have these. */
const OF_OTHERS = ['nonce', 'at_hash', 'c_hash', 'events'];
/** An access token says to whom it was given, or for what. */
const OF_ACCESS = ['scope', 'scp', 'client_id', 'cid', 'appid'];

/**
 * Why it is no access token, or one that needs a proof beside it; undefined: it is one. `type`: of the
 * header. `clientId`: the platform's at the issuer.
 */
export function typeProblem(type: string | undefined, claims: OutsideClaims, clientId: string | undefined): string | undefined {
  if (claims.cnf !== undefined && claims.cnf !== null) return 'it is bound to a key (claim "cnf"), which is not supported here';
  const kind = type?.toLowerCase().replace(/^application\//, '');
  if (kind === 'at+jwt') return undefined;
  if (kind !== undefined && kind !== 'jwt') return `its type is ${JSON.stringify(type)}`;
  if (claims.token_use !== undefined) return claims.token_use === 'access' ? undefined : `its "token_use" is ${JSON.stringify(claims.token_use)}`;
  if (claims.typ !== undefined) return claims.typ.toLowerCase() === 'bearer' ? undefined : `its "typ" is ${JSON.stringify(claims.typ)}`;
  const other = OF_OTHERS.find((claim) => claims[claim] !== undefined);
  if (other !== undefined) return `it has the claim ${JSON.stringify(other)}, as ID tokens do`;
  const forClient = clientId !== undefined && [claims.aud ?? []].flat().includes(clientId);
  if (forClient && OF_ACCESS.every((claim) => claims[claim] === undefined)) return 'it is for the client itself (claim "aud"), as ID tokens are';
  return undefined;
}

/**
 * Which of `audiences` it is for; undefined: none. Cognito names its own address only in scopes, or names the
 * client.
 */
export function audienceOf(
  { aud, token_use, client_id, scope = '' }: OutsideClaims,
  audiences: readonly string[],
  clientId: string | undefined,
): string | undefined {
  if (aud !== undefined) return audiences.find((one) => [aud].flat().includes(one));
  if (token_use !== 'access') return undefined;
  const scopes = scope.split(' ');
  return (
    audiences.find((one) => scopes.some((of) => of.startsWith(`${one}/`))) ?? (clientId !== undefined && client_id === clientId ? audiences[0] : undefined)
  );
}

export function scopesOf({ scope, scp }: Pick<OutsideClaims, 'scope' | 'scp'>): string[] {
  return [scope ?? scp ?? []].flat().flatMap((one) => one.split(' ').filter(Boolean));
}
