// What six identity providers send, by their own documents: access tokens for an API, ID tokens of a sign-in,
// and what the userinfo address says. The values are ours; names, types and what is absent are theirs.

export const CLIENT_ID = 'b3f0c1aa-client';
export const AUDIENCE = 'https://svc.example.test';

type Claims = Record<string, unknown>;

export interface ProviderShape {
  /** Where it is described. */
  source: string;
  /** Its issuer ends in a slash. */
  slash?: true;
  /** `undefined`: its access tokens can be read by nobody else. */
  access?: { header: { typ?: string }; claims: Claims };
  /** Of a sign-in with the platform's client; `nonce` and times are added. */
  id: { header: { typ?: string }; claims: Claims };
  userinfo?: Claims;
  /** What the platform makes of the sign-in. */
  email: string;
  verified: boolean;
}

const address = 'ada@example.test';

export const PROVIDER_SHAPES: Record<string, ProviderShape> = {
  'Microsoft Entra': {
    source: 'learn.microsoft.com/entra/identity-platform/access-token-claims-reference and id-token-claims-reference; optional-claims-reference (xms_edov)',
    access: {
      header: { typ: 'JWT' },
      claims: {
        aud: AUDIENCE, azp: CLIENT_ID, azpacr: '1', scp: 'access_as_user', oid: '0000-oid', tid: '0000-tid', ver: '2.0', uti: 'u', rh: 'r',
        sub: 'pairwise-subject', name: 'Ada', preferred_username: address,
      }, // prettier-ignore
    },
    id: {
      header: { typ: 'JWT' },
      claims: {
        aud: CLIENT_ID,
        oid: '0000-oid',
        tid: '0000-tid',
        ver: '2.0',
        sub: 'pairwise-subject',
        name: 'Ada',
        preferred_username: address,
        email: address,
        xms_edov: '1',
      },
    },
    email: address,
    verified: true,
  },
  Keycloak: {
    source: 'keycloak.org/docs, Server Administration Guide; org.keycloak.representations.AccessToken and IDToken',
    access: {
      header: { typ: 'JWT' },
      claims: {
        jti: 'onrtac:1', aud: [AUDIENCE, 'account'], typ: 'Bearer', azp: CLIENT_ID, sid: 's', acr: '1', scope: 'openid email profile', email_verified: true,
        sub: 'f81d', name: 'Ada', preferred_username: 'ada', email: address, realm_access: { roles: ['offline_access'] },
      }, // prettier-ignore
    },
    id: {
      header: { typ: 'JWT' },
      claims: {
        aud: CLIENT_ID,
        typ: 'ID',
        azp: CLIENT_ID,
        at_hash: 'x',
        acr: '1',
        sub: 'f81d',
        email_verified: true,
        name: 'Ada',
        preferred_username: 'ada',
        email: address,
      },
    },
    email: address,
    verified: true,
  },
  Auth0: {
    source: 'auth0.com/docs/secure/tokens/access-tokens/access-token-profiles',
    slash: true,
    access: {
      header: { typ: 'JWT' },
      claims: { aud: [AUDIENCE, 'https://tenant.example.test/userinfo'], azp: CLIENT_ID, scope: 'openid email', sub: 'auth0|5f' },
    },
    id: { header: { typ: 'JWT' }, claims: { aud: CLIENT_ID, sub: 'auth0|5f', sid: 's', name: 'Ada', email: address, email_verified: true } },
    userinfo: { sub: 'auth0|5f', name: 'Ada', email: address, email_verified: true },
    email: address,
    verified: true,
  },
  'Amazon Cognito': {
    source: 'docs.aws.amazon.com/cognito, "Understanding the access token" and "Userinfo endpoint"',
    access: {
      header: {},
      claims: {
        token_use: 'access',
        client_id: CLIENT_ID,
        username: 'ada',
        scope: 'openid email',
        origin_jti: 'o',
        event_id: 'e',
        version: 2,
        sub: 'aaaa-sub',
      },
    },
    id: {
      header: {},
      claims: { aud: CLIENT_ID, token_use: 'id', at_hash: 'x', 'cognito:username': 'ada', sub: 'aaaa-sub', email: address, email_verified: true },
    },
    userinfo: { sub: 'aaaa-sub', username: 'ada', email: address, email_verified: 'true' },
    email: address,
    verified: true,
  },
  Okta: {
    source: 'developer.okta.com/docs/reference/api/oidc, "Access token payload"',
    access: { header: {}, claims: { ver: 1, jti: 'AT.1', aud: AUDIENCE, cid: CLIENT_ID, uid: '00u', scp: ['openid', 'email'], sub: '00u' } },
    id: {
      header: {},
      claims: {
        aud: CLIENT_ID,
        ver: 1,
        jti: 'ID.1',
        amr: ['pwd'],
        idp: '00o',
        sub: '00u',
        at_hash: 'x',
        name: 'Ada',
        email: address,
        preferred_username: address,
      },
    },
    userinfo: { sub: '00u', name: 'Ada', email: address, email_verified: true },
    email: address,
    verified: true,
  },
  Google: {
    source: 'developers.google.com/identity/openid-connect, "An ID token\'s payload"; access tokens are opaque',
    id: {
      header: { typ: 'JWT' },
      claims: { aud: CLIENT_ID, azp: CLIENT_ID, at_hash: 'x', sub: '110169', email: address, email_verified: true, hd: 'example.test' },
    },
    email: address,
    verified: true,
  },
};
