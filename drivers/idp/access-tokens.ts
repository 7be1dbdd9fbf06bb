// Checks access tokens of the issuer (RFC 9068): signature, type, issuer, audience, time. Keys are given or fetched from the issuer.
import { createLocalJWKSet, createRemoteJWKSet, errors, jwtVerify, type JWK, type JWTVerifyGetKey } from 'jose';
import * as oidc from 'openid-client';
import { z } from 'zod';
import { OPERATOR_CLAIM } from '#contract/identity/oauth.ts';
import { fromBase64Url } from '#contract/wire/base64url.ts';
import { isOperator } from './operators.ts';
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
}

export interface AccessTokens {
  /** `audiences`: taken besides the platform. Throws LoginError: `invalid` (with `expired` in the message for an old one) or `unreachable`. */
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
  /** The issuer's keys when it runs in this process; otherwise they are fetched. */
  jwks?: { keys: JWK[] } | undefined;
  /** Email addresses (verified by the issuer) of operators, besides those the issuer's claim makes. */
  operators?: readonly string[] | undefined;
  clock?: () => number;
}

/** Asymmetric only: with a symmetric algorithm, everyone who knows the public key could sign. */
const ALGORITHMS = ['EdDSA', 'Ed25519', 'ES256', 'ES384', 'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];
const MAX_TOKEN = 8192;

const Claims = z.looseObject({
  sub: z.string().min(1),
  exp: z.number(),
  aud: z.union([z.string(), z.array(z.string())]),
  scope: z.string().optional(),
  email: z.string().min(3).optional(),
  email_verified: z.boolean().optional(),
  name: z.string().optional(),
  [OPERATOR_CLAIM]: z.boolean().optional(),
});
const Profile = z.looseObject({ email: z.string().min(3).optional(), email_verified: z.boolean().optional(), name: z.string().optional() });

export function createAccessTokens(options: AccessTokenOptions): AccessTokens {
  const { issuer, audience, clock = Date.now } = options;
  const keys = options.jwks ? createLocalJWKSet(options.jwks) : remoteKeys(issuer);
  return {
    async verify(token, audiences = []) {
      if (token.length > MAX_TOKEN) throw new LoginError('invalid', 'the access token is too long to be one of ours');
      // The library decodes padding and stray bits too: one token would have many texts.
      if (!token.split('.').every(fromBase64Url)) throw new LoginError('invalid', 'the access token is not canonical base64url');
      const claims = await check(token, keys, {
        issuer,
        audience: [audience, ...audiences],
        typ: 'at+jwt',
        algorithms: ALGORITHMS,
        currentDate: new Date(clock()),
      });
      const profile = tellsEnough(claims, options) ? claims : { ...claims, ...(await askIssuer(issuer, token, claims.sub)) };
      return {
        issuer,
        subject: claims.sub,
        email: profile.email,
        name: profile.name ?? null,
        operator: claims[OPERATOR_CLAIM] === true || isOperator(options.operators, profile.email, profile.email_verified),
        expiresAt: claims.exp * 1000,
        audience: [claims.aud].flat().includes(audience) ? undefined : audiences.find((one) => [claims.aud].flat().includes(one)),
        scopes: claims.scope?.split(' ') ?? [],
      };
    },
  };
}

/** An outside issuer is asked for an email the token lacks, and whether one that would make an operator is verified. */
function tellsEnough({ email, email_verified: verified }: z.infer<typeof Claims>, { jwks, operators }: AccessTokenOptions): boolean {
  if (jwks) return true;
  return email !== undefined && (verified !== undefined || !isOperator(operators, email, true));
}

async function check(token: string, keys: JWTVerifyGetKey, options: Parameters<typeof jwtVerify>[2]): Promise<z.infer<typeof Claims>> {
  try {
    const { payload } = await jwtVerify(token, keys, options);
    return Claims.parse(payload);
  } catch (error) {
    if (error instanceof LoginError) throw error;
    if (error instanceof errors.JWTExpired) throw new TokenExpired();
    if (isUnreachable(error)) throw unreachable(error);
    throw new LoginError('invalid', 'the access token is not valid here', { cause: error });
  }
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

async function askIssuer(issuer: string, token: string, subject: string): Promise<z.infer<typeof Profile>> {
  try {
    return Profile.parse(await oidc.fetchUserInfo(await discover(issuer), token, subject));
  } catch (error) {
    if (isUnreachable(error)) throw unreachable(error);
    return {};
  }
}

async function discover(issuer: string): Promise<oidc.Configuration> {
  const insecure = new URL(issuer).protocol === 'http:' ? [oidc.allowInsecureRequests] : [];
  try {
    return await oidc.discovery(new URL(issuer), 'resource-server', undefined, oidc.None(), { execute: insecure, timeout: 5 });
  } catch (error) {
    throw unreachable(error);
  }
}

function isUnreachable(error: unknown): boolean {
  if (error instanceof LoginError) return error.code === 'unreachable';
  // jose reports an answer that is not a key set by its base class alone.
  return error instanceof TypeError || error instanceof errors.JWKSTimeout || (error instanceof errors.JOSEError && error.code === 'ERR_JOSE_GENERIC');
}

function unreachable(cause: unknown): LoginError {
  return new LoginError('unreachable', 'the identity provider cannot be reached', { cause });
}
