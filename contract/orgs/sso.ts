// An organization's own sign-in (OpenID Connect): its connection, and how people sign in by it.
import { z } from 'zod';
import { svcGroup } from '../kit.ts';
import { Instant } from '../shared.ts';
import { SSO_ROLES } from '../states.ts';
import { AuthOidcStartOut, AuthSignedInOut, OneTimeCode } from '../identity/auth.ts';
import { isLocalPath, LOCAL_PATH } from '../wire/local-path.ts';
import { DomainName, EmailAddress, OrganizationParams, OrganizationSlug } from './organizations.ts';

const MAX_SSO_DOMAINS = 50;
/** Two weeks, as the installation's own sessions. */
const MAX_SSO_HOURS = 336;

const ClientId = z
  .string()
  .regex(/^[\u0021-\u007e]{1,255}$/, 'use the client id as the provider shows it')
  .meta({ examples: ['svc'] });
const hours = z.int().min(1).max(MAX_SSO_HOURS);

const SsoConnection = z
  .strictObject({
    connection_id: z.string(),
    issuer: z.string(),
    client_id: z.string(),
    domains: z.array(z.strictObject({ domain: z.string(), verified: z.boolean().meta({ description: 'false: its addresses are refused until the organization has it verified.' }) }).meta({ id: 'SsoDomain' })),
    default_role: z.enum(SSO_ROLES),
    makes_members: z.boolean(),
    required: z.boolean().meta({ description: 'Nobody acts for the organization but by a session of this connection.' }),
    session_hours: hours,
    created_at: Instant,
    updated_at: Instant,
    last_used_at: Instant.nullable().meta({ description: 'Time of the last sign-in; null: nobody has signed in by it.' }),
  })
  .meta({ id: 'SsoConnection' }); // prettier-ignore

export const OrganizationSsoOut = z
  .strictObject({
    connection: SsoConnection.nullable(),
    redirect_uri: z.string().meta({ description: 'What to allow for the client at the provider.' }),
    sign_in_url: z.string().meta({ description: 'Where members sign in.' }),
    linked_at: Instant.nullable().meta({
      description: 'When you linked your account, so that a sign-in by the provider acts for all of it; null: you have not.',
    }),
  })
  .meta({ id: 'OrganizationSsoOut' });

export const OrganizationSsoIn = z
  .strictObject({
    issuer: z
      .url({ protocol: /^https?$/ })
      .max(512)
      .meta({ description: 'The issuer; the platform reads its /.well-known/openid-configuration.', examples: ['https://login.example.com'] }),
    client_id: ClientId,
    client_secret: z
      .string()
      .min(1)
      .max(2_048)
      .optional()
      .meta({ description: 'Sealed, and never shown. Absent: the one that is there stays, where issuer and client_id stay too.', format: 'password' }),
    domains: z.array(DomainName).min(1).max(MAX_SSO_DOMAINS).meta({ description: 'Verified domains of the organization; addresses of others are refused.' }),
    default_role: z.enum(SSO_ROLES).default('developer').meta({ description: 'Role of a member made at the first sign-in.' }),
    makes_members: z.boolean().default(true).meta({ description: 'Whom the organization does not know becomes a member at the first sign-in.' }),
    session_hours: hours.default(12).meta({ description: 'For so long a session acts for the organization.' }),
  })
  .meta({ id: 'OrganizationSsoIn' });

const shared = { scope: 'account', personal: true, params: OrganizationParams } as const;

export const organizationSso = svcGroup({
  get: {
    at: 'GET /v1/me/organizations/{slug}/sso',
    summary: "The organization's own sign-in",
    ...shared,
    out: OrganizationSsoOut,
    errors: [401, 403, 404],
  },
  put: {
    at: 'PUT /v1/me/organizations/{slug}/sso',
    summary: 'Connect an identity provider (OpenID Connect), or change the connection',
    description:
      'Its discovery document is read first: 502 when it cannot be. Another issuer or client is another connection: sessions of the one before end, and it is not required any more.',
    ...shared,
    body: OrganizationSsoIn,
    out: OrganizationSsoOut,
    errors: [400, 401, 403, 404, 409, 429, 502],
    limit: 'create',
  },
  remove: {
    at: 'DELETE /v1/me/organizations/{slug}/sso',
    summary: 'Remove the connection; sessions that it made end at once',
    ...shared,
    status: 204,
    errors: [401, 403, 404],
  },
  require: {
    at: 'PUT /v1/me/organizations/{slug}/sso/required',
    summary: 'Say whether everybody has to sign in by the connection',
    description: 'It is switched on by somebody who signed in by it: 409 otherwise, so that a connection that does not work locks nobody out.',
    ...shared,
    body: z.strictObject({ required: z.boolean() }).meta({ id: 'SsoRequiredIn' }),
    out: OrganizationSsoOut,
    errors: [401, 403, 404, 409],
  },
  breakGlass: {
    at: 'POST /v1/me/organizations/{slug}/sso/break-glass',
    summary: 'For owners, when the provider is broken: the sign-in is not required any more',
    description: "In a browser where the owner signed in within the last 15 minutes by the installation's own sign-in. It stands in the audit log.",
    ...shared,
    status: 204,
    errors: [401, 403, 404],
  },
  link: {
    at: 'POST /v1/me/organizations/{slug}/sso/link',
    summary: 'Sign in at the provider, and join what it knows of you with the account that you are signed in to',
    description:
      'In a browser in which you signed in within the last 15 minutes without the organization: the answer sets a cookie, and names where to go on. From then on who signs in at the provider as you acts for all of your account; before, for the organization only.',
    ...shared,
    out: AuthOidcStartOut,
    errors: [401, 403, 404, 429, 502],
    limit: 'auth',
  },
  unlink: {
    at: 'DELETE /v1/me/organizations/{slug}/sso/link',
    summary: 'Take back the link of your account: sign-ins by the provider act for the organization only again, and those that it made end',
    ...shared,
    status: 204,
    errors: [401, 403, 404],
  },
});

const LocalPath = z.string().max(2_048).refine(isLocalPath, 'use a path on this site, e.g. "/agents"').default('/').meta({ pattern: LOCAL_PATH.source });
const CallbackQuery = z
  .object({
    code: z.string().max(4_096).optional(),
    state: z.string().max(256).optional(),
    error: z.string().max(256).optional(),
    error_description: z.string().max(2_048).optional(),
    iss: z.string().max(2_048).optional(),
  })
  .meta({ examples: [{ code: 'a-code', state: 'A'.repeat(43) }] });

export const ssoSignIn = svcGroup({
  startSso: {
    at: 'GET /v1/auth/sso/start',
    summary: "Begin to sign in by an organization's own sign-in",
    description:
      "By its slug, or by an email address whose domain leads to it. Browsers are redirected to its identity provider. With cli_port the answer goes to a program on the person's machine, as a code for POST /v1/auth/sso/token.",
    scope: 'none',
    query: z
      .object({
        organization: OrganizationSlug.optional(),
        email: EmailAddress.optional(),
        redirect_to: LocalPath,
        cli_port: z.coerce.number().int().min(1_024).max(65_535).optional().meta({ description: 'Port of 127.0.0.1.' }),
        cli_challenge: z.string().regex(/^[\w-]{43}$/).optional().meta({ description: 'base64url of SHA-256 over the verifier that redeems the code.' }),
        cli_state: z.string().regex(/^[\w-]{16,128}$/).optional().meta({ description: 'Comes back with the code.' }),
      })
      .meta({ examples: [{ organization: 'acme' }] }),
    out: AuthOidcStartOut,
    redirects: true,
    errors: [400, 404, 429, 502],
    limit: 'auth',
  },
  ssoCallback: {
    at: 'GET /v1/auth/sso/callback/{slug}',
    summary: "Finish a sign-in: an organization's identity provider sends the browser here",
    scope: 'none',
    params: OrganizationParams,
    query: CallbackQuery,
    out: AuthSignedInOut,
    redirects: true,
    errors: [400, 401, 402, 403, 404, 409, 410, 429, 502],
    limit: 'auth',
  },
  redeemSso: {
    at: 'POST /v1/auth/sso/token',
    summary: 'Redeem the code of such a sign-in for an access token',
    scope: 'none',
    body: z.strictObject({ code: OneTimeCode, verifier: z.string().regex(/^[\w.~-]{43,128}$/).meta({ examples: ['A'.repeat(43)] }) }).meta({ id: 'SsoTokenIn' }),
    out: z
      .strictObject({ access_token: z.string(), token_type: z.literal('Bearer'), expires_at: Instant.meta({ description: 'Then the person signs in again.' }) })
      .meta({ id: 'SsoTokenOut' }),
    errors: [403, 410, 429],
    limit: 'code',
  },
}); // prettier-ignore
