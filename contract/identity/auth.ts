// Signing in and out: browser sessions, the command line tool's hand-over to a browser, agents' own origins.
import { z } from 'zod';
import { group } from '../kit.ts';
import { Instant } from '../shared.ts';
import { isLocalPath, LOCAL_PATH } from '../wire/local-path.ts';
import { AgentSlug } from '../wire/names.ts';

const LocalPath = z
  .string()
  .max(2048)
  .refine(isLocalPath, 'use a path on this site, e.g. "/agents"')
  .meta({ description: 'A path on this origin; where to go afterwards.', pattern: LOCAL_PATH.source });
const redirectTo = LocalPath.nullable().default('/');

export const OneTimeCode = z
  .string()
  .regex(/^[A-Za-z0-9_-]{32,128}$/, 'use the exact code: 32 to 128 letters, digits, "_" and "-"')
  .meta({ description: 'Works once, for a short time.' });

export const UserOut = z
  .strictObject({
    user_id: z.string(),
    email: z.string(),
    name: z.string().nullable(),
    operator: z.boolean().meta({ description: 'May use the operator routes.' }),
    created_at: Instant,
    sub: z.string().optional().meta({ description: 'In GET /v1/me, as what follows: what agents are told of the caller (PlatformUserAuth).' }),
    account_number: z.int().optional().meta({ description: 'Their user_id.' }),
    org_id: z.string().nullable().optional().meta({ description: 'The organization that the account acts for.' }),
    org_slug: z.string().nullable().optional(),
    scopes: z
      .array(z.string())
      .optional()
      .meta({ description: "Only for a session of an agent's origin: the scopes of its skills that the account has there. Else empty." }),
  })
  .meta({ id: 'UserOut' });

const ActsOnlyFor = z.strictObject({ slug: z.string(), name: z.string() }).nullable().meta({
  description:
    'The organization whose provider made the sign-in, where the person has not linked the account to it: it acts for that organization only. null: it acts for all that is theirs.',
});
export const MeOut = z.strictObject({ ...UserOut.shape, acts_only_for: ActsOnlyFor }).meta({ id: 'MeOut' });

export const AuthOidcStartOut = z
  .strictObject({ authorization_url: z.string().meta({ description: 'Where the browser signs in.' }), expires_at: Instant })
  .meta({ id: 'AuthOidcStartOut' });
export const AuthSignedInOut = z
  .strictObject({ redirect_to: z.string(), user: UserOut, expires_at: Instant.meta({ description: 'When the session ends.' }) })
  .meta({ id: 'AuthSignedInOut' });

const AuthCliSessionCreateIn = z.strictObject({ redirect_to: LocalPath.default('/') }).meta({ id: 'AuthCliSessionCreateIn' });
const AuthCliSessionCreateOut = z
  .strictObject({ code: OneTimeCode, redeem_url: z.string().meta({ description: 'Open it in a browser.' }), expires_at: Instant })
  .meta({ id: 'AuthCliSessionCreateOut' });

/** Signed in, or first to be confirmed by the person at the browser. */
const AuthCliSessionRedeemOut = z
  .strictObject({
    confirm: z.boolean().meta({ description: 'True: the sign-in must be confirmed; send POST /v1/auth/cli-session/confirm with the cookie set here.' }),
    redirect_to: z.string(),
    user: UserOut,
    expires_at: Instant.meta({ description: 'End of the session, or of the confirmation.' }),
  })
  .meta({ id: 'AuthCliSessionRedeemOut' });

const AgentSessionAuthorizeOut = z
  .strictObject({
    agent: z.string(),
    url: z.string().meta({ description: "On the agent's own origin, with the code; for a browser without a session: where to sign in." }),
    expires_at: Instant.nullable(),
  })
  .meta({ id: 'AgentSessionAuthorizeOut' });
const AgentSessionExchangeIn = z.strictObject({ agent: AgentSlug, code: OneTimeCode }).meta({ id: 'AgentSessionExchangeIn' });
const AgentSessionExchangeOut = z
  .strictObject({
    agent: z.string(),
    access_token: z.string().meta({ description: 'Good for this agent only.' }),
    token_type: z.literal('Bearer'),
    expires_at: Instant,
    next: z.string().meta({ description: "A path on the agent's origin." }),
  })
  .meta({ id: 'AgentSessionExchangeOut' });

const AuthLogoutOut = z
  .strictObject({
    signed_out: z.boolean().meta({ description: 'False when there was no session.' }),
    redirect_to: z.string(),
    end_session_url: z.string().nullable().meta({ description: 'Where the browser signs out at the identity provider too.' }),
  })
  .meta({ id: 'AuthLogoutOut' });
const AuthSessionOut = z
  .strictObject({
    authenticated: z.boolean(),
    user: UserOut.nullable(),
    expires_at: Instant.nullable().meta({ description: 'End of the browser session; null with a bearer token.' }),
    acts_only_for: ActsOnlyFor,
  })
  .meta({ id: 'AuthSessionOut' });

export const auth = group({
  start: {
    at: 'GET /v1/auth/oidc/start',
    summary: 'Start a sign-in with a browser',
    description:
      'Browsers are redirected to the identity provider. 404 when no identity provider is set up or it cannot be reached, and for browsers where the platform has a plain http address other than localhost.',
    scope: 'none',
    query: z.object({ redirect_to: redirectTo, login_hint: z.string().max(254).nullable().default(null) }),
    out: AuthOidcStartOut,
    redirects: true,
    errors: [404, 422, 429],
    limit: 'auth',
  },
  callback: {
    at: 'GET /v1/auth/oidc/callback',
    summary: 'End of a sign-in: the identity provider redirects the browser here',
    scope: 'none',
    query: z.object({
      code: z.string().max(4096).optional(),
      state: z.string().max(256).optional(),
      error: z.string().max(256).optional(),
      error_description: z.string().max(2048).optional(),
      iss: z.string().max(2048).optional(),
    }),
    out: AuthSignedInOut,
    redirects: true,
    errors: [400, 401, 403, 422, 429, 502],
    limit: 'auth',
  },
  createCliSession: {
    at: 'POST /v1/auth/cli-session',
    summary: 'Turn a bearer token into a link that signs a browser in, once',
    scope: 'authenticated',
    personal: true,
    body: AuthCliSessionCreateIn,
    out: AuthCliSessionCreateOut,
    status: 201,
    errors: [401, 403, 422, 429, 503],
    limit: 'code',
  },
  redeemCliSession: {
    at: 'GET /v1/auth/cli-session/redeem',
    summary: 'Redeem the code of such a link',
    description:
      'Without a session of the same account the browser first asks the person to confirm. 403: unknown code. 409: the same caller used it within the last minute. 410: used or expired.',
    scope: 'optional',
    personal: true,
    query: z.object({ code: OneTimeCode }),
    out: AuthCliSessionRedeemOut,
    redirects: true,
    errors: [401, 403, 409, 410, 422, 429, 503],
    limit: 'code',
  },
  confirmCliSession: {
    at: 'POST /v1/auth/cli-session/confirm',
    summary: 'The person at the browser confirms the sign-in',
    scope: 'none',
    cookies: { '__Host-svc_cli_confirm': 'Set by GET /v1/auth/cli-session/redeem. Without it the answer is 403.' },
    out: AuthSignedInOut,
    redirects: true,
    errors: [403, 410, 422, 429, 503],
    limit: 'code',
  },
  authorizeAgentSession: {
    at: 'GET /v1/auth/agent-session/authorize',
    summary: "Hand the signed-in person over to an agent's own origin, by a code that works once and only there",
    description:
      'With the session of a browser the person is asked once for each agent: browsers are redirected to the question, programs get 403 consent_required with its consent_url.',
    scope: 'optional',
    personal: true,
    query: z.object({ agent: AgentSlug, next: redirectTo }),
    out: AgentSessionAuthorizeOut,
    redirects: true,
    errors: [401, 403, 404, 422, 429, 503],
    limit: 'code',
  },
  exchangeAgentSession: {
    at: 'POST /v1/auth/agent-session/exchange',
    summary: 'Redeem that code for a token that is good for this agent only',
    scope: 'none',
    body: AgentSessionExchangeIn,
    out: AgentSessionExchangeOut,
    errors: [403, 410, 422, 429, 503],
    limit: 'code',
  },
  logout: {
    at: 'POST /v1/auth/logout',
    summary: 'End the browser session',
    scope: 'none',
    query: z.object({
      redirect_to: redirectTo,
      everywhere: z.boolean().default(false).meta({
        description:
          "All browser sessions of the account end, here, at agents' own addresses and at the platform's own identity provider; tokens of programs stay. Where the session acts for one organization only: those that its provider made.",
      }),
    }),
    out: AuthLogoutOut,
    errors: [403, 422],
  },
  session: {
    at: 'GET /v1/auth/session',
    summary: 'Read the signed-in user, if there is one',
    scope: 'optional',
    personal: true,
    out: AuthSessionOut,
    errors: [401, 403, 422],
  },
  me: {
    at: 'GET /v1/me',
    summary: 'The signed-in user',
    scope: 'authenticated',
    personal: true,
    agentSessions: true,
    out: MeOut,
    errors: [401, 403, 422],
  },
});
