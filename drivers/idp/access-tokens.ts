// Checks access tokens of the issuer: signature, type, issuer, audience, time. Keys are given or fetched from
// the issuer. Our own issuer's are of RFC 9068; those of others come in the shapes of outside-token.ts.
import { createLocalJWKSet, createRemoteJWKSet, errors, jwtVerify, type JWK, type JWTVerifyGetKey } from 'jose';
import * as oidc from 'openid-client';
import { z } from 'zod';
import { OPERATOR_CLAIM, SIGN_IN_CLAIM } from '#contract/identity/oauth.ts';
import { fromBase64Url } from '#contract/wire/base64url.ts';
import { addressOf, PersonClaims } from './claims.ts';
import { discoverIssuer, formsOf } from './issuer.ts';
import { isOperator } from './operators.ts';
import { audienceOf, OutsideClaims, scopesOf, SignInClaims, typeProblem } from './outside-token.ts';
import { LoginError } from './port.ts';

export interface AccessTokenIdentity {
  issuer: string;
  subject: string;
  /** Undefined when neither the token nor the issuer states it. */
  email: string | undefined;
  name: string | null;
  operator: boolean;
  /** Milliseconds since the epoch. */
  expiresAt: number;
  /** The token is not for the platform but for this address, one of those `verify` was given. */
  audience?: string | undefined;
  scopes?: readonly string[];
  /** What it belongs to; absent: it is not known. */
  signIn?: TokenSignIn;
}

/**
 * `id`: as the embedded provider named it. Else what another issuer says: its session (`sid`), or only the
 * client, of which sign-ins cannot be told apart.
 */
type TokenSignIn = { id: string } | { family: string; clientId: string; issuedAt: number };

export interface AccessTokens {
  /**
   * `audiences`: taken besides the platform. Throws LoginError: `invalid` (with `expired` in the message for
   * an old one) or `unreachable`.
   */
  verify(token: string, audiences?: readonly string[]): Promise<AccessTokenIdentity>;
}

export class TokenExpired extends LoginError {
  constructor() {
    super('invalid', 'the access token has expired');
  }
}

export interface AccessTokenOptions {
  issuer: string;
  audience: string;
  /** By which the issuer knows the platform: an ID token is for it, too. */
  clientId?: string | undefined;
  /** The issuer's keys when it runs in this process; otherwise they are fetched. */
  jwks?: { keys: JWK[] } | undefined;
  /** Email addresses (verified by the issuer) of operators, besides those the issuer's claim makes. */
  operators?: readonly string[] | undefined;
  /**
   * The issuer's tokens name their sign-in; one that does not is of an older platform, or of no program's.
   */
  named?: boolean;
  clock?: () => number;
}

/** Asymmetric only: with a symmetric algorithm, everyone who knows the public key could sign. */
export const ALGORITHMS = ['EdDSA', 'Ed25519', 'ES256', 'ES384', 'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];
const MAX_TOKEN = 8192;

const OwnClaims = z.looseObject({
  ...SignInClaims.shape,
  ...PersonClaims.shape,
  exp: z.number(),
  aud: z.union([z.string(), z.array(z.string())]),
  scope: z.string().optional(),
});

interface Checked {
  claims: OutsideClaims;
  /** Of those that were given, the one that it is for. */
  audience: string;
}

export function createAccessTokens(options: AccessTokenOptions): AccessTokens {
  const { issuer, audience, clock = Date.now } = options;
  const keys = options.jwks ? createLocalJWKSet(options.jwks) : remoteKeys(issuer);
  return {
    async verify(token, audiences = []) {
      if (token.length > MAX_TOKEN) throw new LoginError('invalid', 'the access token is too long to be one of ours');
      // The library decodes padding and stray bits too: one token would have many texts.
      if (!token.split('.').every(fromBase64Url)) throw new LoginError('invalid', 'the access token is not canonical base64url');
      const read = { keys, audiences: [audience, ...audiences], now: new Date(clock()) };
      const checked = options.jwks ? await checkOwn(token, options, read) : await checkOutside(token, options, read);
      const { claims } = checked;
      const profile = tellsEnough(claims, options) ? claims : { ...claims, ...(await askIssuer(issuer, token, claims.sub)) };
      const { email, verified } = addressOf(profile);
      return {
        issuer,
        subject: claims.sub,
        email,
        name: profile.name ?? null,
        operator: claims[OPERATOR_CLAIM] === true || isOperator(options.operators, email, verified),
        expiresAt: claims.exp * 1000,
        audience: checked.audience === audience ? undefined : checked.audience,
        scopes: scopesOf(claims),
        signIn: signInOf(claims, options),
      };
    },
  };
}

function signInOf(claims: SignInClaims, { named, jwks }: AccessTokenOptions): TokenSignIn {
  const id = claims[SIGN_IN_CLAIM];
  if (jwks && id !== undefined) return { id };
  // Its client gets a new one.
  if (named) throw new TokenExpired();
  const clientId = claims.client_id ?? claims.azp ?? '';
  return {
    family: claims.sid === undefined ? `client:${clientId}:${claims.sub}` : `sid:${claims.sid}:${clientId}`,
    clientId,
    issuedAt: (claims.iat ?? 0) * 1000,
  };
}

/**
 * An outside issuer is asked for an email the token lacks, and whether one that would make an operator is
 * verified.
 */
function tellsEnough(claims: PersonClaims, { jwks, operators }: AccessTokenOptions): boolean {
  if (jwks) return true;
  const { email, verified } = addressOf(claims);
  return claims.email !== undefined && (verified !== undefined || !isOperator(operators, email, true));
}

interface Read {
  keys: JWTVerifyGetKey;
  audiences: string[];
  now: Date;
}

async function checkOwn(token: string, { issuer }: AccessTokenOptions, { keys, audiences, now }: Read): Promise<Checked> {
  return reading(async () => {
    const { payload } = await jwtVerify(token, keys, { issuer, audience: audiences, typ: 'at+jwt', algorithms: ALGORITHMS, currentDate: now });
    const claims = OwnClaims.parse(payload);
    return { claims, audience: audienceOf(claims, audiences, undefined) ?? '' };
  });
}

async function checkOutside(token: string, { issuer, clientId }: AccessTokenOptions, { keys, audiences, now }: Read): Promise<Checked> {
  return reading(async () => {
    const { payload, protectedHeader } = await jwtVerify(token, keys, { issuer: formsOf(issuer), algorithms: ALGORITHMS, currentDate: now });
    const claims = OutsideClaims.parse(payload);
    const problem = typeProblem(protectedHeader.typ, claims, clientId);
    if (problem !== undefined) throw new LoginError('invalid', `this is no access token for the platform: ${problem}`);
    const audience = audienceOf(claims, audiences, clientId);
    if (audience === undefined)
      throw new LoginError(
        'invalid',
        `the access token is for others: its "aud" is ${JSON.stringify(claims.aud ?? null)}, wanted is ${JSON.stringify(audiences[0])}`,
      );
    return { claims, audience };
  });
}

async function reading(read: () => Promise<Checked>): Promise<Checked> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof LoginError) throw error;
    if (error instanceof errors.JWTExpired) throw new TokenExpired();
    if (isUnreachable(error)) throw unreachable(error);
    throw new LoginError('invalid', `the access token is not valid here${whatIsWrong(error)}`, { cause: error });
  }
}

function whatIsWrong(error: unknown): string {
  if (error instanceof errors.JWTClaimValidationFailed) return `: its ${JSON.stringify(error.claim)} is ${JSON.stringify(error.payload[error.claim] ?? null)}`;
  if (error instanceof z.ZodError) return `: ${error.issues.map(({ path }) => JSON.stringify(path.join('.'))).join(', ')} cannot be read`;
  return '';
}

/** The issuer's address of its keys, looked up when first needed. */
function remoteKeys(issuer: string): JWTVerifyGetKey {
  let keys: Promise<JWTVerifyGetKey> | undefined;
  return async (header, token) => {
    keys ??= discover(issuer).then((config) => createRemoteJWKSet(new URL(z.string().parse(config.serverMetadata().jwks_uri)), { timeoutDuration: 5000 }));
    try {
      return await (
        await keys
      )(header, token);
    } catch (error) {
      if (isUnreachable(error)) keys = undefined;
      throw error;
    }
  };
}

async function askIssuer(issuer: string, token: string, subject: string): Promise<Partial<PersonClaims>> {
  try {
    return PersonClaims.parse(await oidc.fetchUserInfo(await discover(issuer), token, subject));
  } catch (error) {
    if (isUnreachable(error)) throw unreachable(error);
    return {};
  }
}

function discover(issuer: string): Promise<oidc.Configuration> {
  return discoverIssuer({ issuer, clientId: 'resource-server', timeoutSeconds: 5 });
}

function isUnreachable(error: unknown): boolean {
  if (error instanceof LoginError) return error.code === 'unreachable';
  // jose reports an answer that is not a key set only by its base class.
  return error instanceof TypeError || error instanceof errors.JWKSTimeout || (error instanceof errors.JOSEError && error.code === 'ERR_JOSE_GENERIC');
}

function unreachable(cause: unknown): LoginError {
  return new LoginError('unreachable', 'the identity provider cannot be reached', { cause });
}
