// Names that the embedded identity provider, the API and the command line tool agree on.

export const CLI_CLIENT_ID = 'svc-cli';
export const WEB_CLIENT_ID = 'svc-dashboard';
export const SCOPES = ['openid', 'email', 'offline_access', 'mcp:invoke', 'agent:read'] as const;
/** What an access token may carry; the others shape the ID token and the refresh token. */
export const RESOURCE_SCOPES = ['email', 'mcp:invoke', 'agent:read'] as const;
export const LOCAL_GRANT = 'urn:svc:grant-type:local';
/** Claim of ID and access tokens that makes an operator. */
export const OPERATOR_CLAIM = 'svc_operator';

/** Claim of access tokens: the sign-in that they belong to, and end with. */
export const SIGN_IN_CLAIM = 'svc_sign_in';

/** Lifetimes in seconds. */
export const TTL = {
  accessToken: 3600,
  authorizationCode: 60,
  deviceCode: 600,
  interaction: 900,
  session: 14 * 86_400,
  /** Of the command line tool, from its last use; it works once, and gives the next one. */
  refreshToken: 7 * 86_400,
  /** From the sign-in, however much it is used. */
  grant: 30 * 86_400,
} as const;
