// Signing people in at an OpenID Connect provider, as the API's own login uses it. Default driver:
// openid-client against the issuer.
import type { CodesAmong } from '#contract/errors/index.ts';

/** A user as the identity provider reports them. */
export interface Identity {
  issuer: string;
  subject: string;
  email: string;
  /** As the provider says; undefined: it does not say. */
  emailVerified: boolean | undefined;
  name: string | null;
  /** The provider vouches for an administrator. */
  operator: boolean;
}

export interface LoginRequest {
  state: string;
  nonce: string;
  codeVerifier: string;
  loginHint?: string | undefined;
}

export interface LoginAnswer {
  state: string;
  nonce: string;
  codeVerifier: string;
  /** The callback's query as it came. */
  query: URLSearchParams;
}

export interface LoginProvider {
  readonly issuer: string;
  /** Where to send the browser. Throws LoginError `unreachable`. */
  authorizationUrl(request: LoginRequest): Promise<URL>;
  /** Exchanges the code and checks the ID token. Throws LoginError. */
  finish(answer: LoginAnswer): Promise<Identity>;
  /** Where a browser ends its session at the provider too; undefined when it offers none. */
  endSessionUrl(): Promise<URL | undefined>;
  /** Ends all sessions of a user at the provider, in all browsers; absent where it offers no way. */
  endSessions?: ((subject: string) => Promise<void>) | undefined;
}

/**
 * refused: the provider or the person said no · invalid: the answer does not check out · unreachable: try
 * again later.
 */
export type LoginErrorCode = CodesAmong<'refused' | 'invalid' | 'unreachable'>;

export class LoginError extends Error {
  readonly code: LoginErrorCode;
  constructor(code: LoginErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'LoginError';
    this.code = code;
  }
}
