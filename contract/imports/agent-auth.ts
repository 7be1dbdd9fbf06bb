// What an imported agent is shown by whom it is called: credentials of its owner, sealed at rest, applied
// where its calls leave the platform.
import { z } from 'zod';
import { group } from '../kit.ts';
import { AgentParams, Fault, Instant, MAX_INT32 } from '../shared.ts';
import { CONNECTION_KINDS, CONNECTION_STATES } from '../states.ts';

export const MAX_CONNECTIONS = 16;

const schemeName = z
  .string()
  .regex(/^[\w.~+ -]{1,128}$/, 'use letters, digits, spaces and . _ - ~ + (128 at most)')
  .optional()
  .meta({ description: "One of the card's securitySchemes; absent: the first of its kind." });
/** Goes into a header: visible ASCII. */
const headerText = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .regex(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/, 'use printable ASCII without spaces at its ends');
const token = headerText(16_384);
/** Those belong to the connection, or say who the platform is. */
const TAKEN = /^(?:host|connection|content-length|content-type|transfer-encoding|upgrade|te|trailer|expect|accept|mcp-.*|a2a-.*|proxy-.*)$/i;
const pem = z.string().min(1).max(65_536);
const tokens = {
  scheme_name: schemeName,
  access_token: token,
  refresh_token: token.optional(),
  token_url: z
    .url({ protocol: /^https?$/ })
    .max(2048)
    .optional()
    .meta({ description: 'Where the refresh token becomes an access token.' }),
  client_id: z.string().min(1).max(1024).optional(),
  client_secret: z.string().min(1).max(4096).optional(),
  expires_in: z.int().min(1).max(31_536_000).optional().meta({ description: 'Seconds that the access token is still good for; absent: unknown.' }),
};

export const AgentAuthIn = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('api_key'),
      scheme_name: schemeName,
      name: z
        .string()
        .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/, 'use the characters of a header name')
        .refine((name) => !TAKEN.test(name), 'this header belongs to the connection: name another')
        .meta({ description: 'Name of the header or of the query parameter.', examples: ['x-api-key'] }),
      value: headerText(8192),
      location: z.enum(['header', 'query']).default('header'),
    }),
    z.strictObject({
      kind: z.literal('bearer'),
      scheme_name: schemeName,
      token,
      scheme: z
        .string()
        .regex(/^[A-Za-z][\w-]{0,31}$/, 'use one word, for example Bearer')
        .default('Bearer'),
    }),
    z.strictObject({
      kind: z.literal('mtls'),
      scheme_name: schemeName,
      cert: pem.meta({ description: 'PEM: the certificate, then those that signed it.' }),
      key: pem.meta({ description: "PEM: the certificate's private key, without a passphrase." }),
      ca: pem.nullable().default(null).meta({ description: "PEM: who signed the agent's own certificate; null: the usual authorities." }),
    }),
    z.strictObject({ kind: z.literal('oauth2'), ...tokens }),
    z.strictObject({ kind: z.literal('oidc'), ...tokens }),
  ])
  .meta({ id: 'AgentAuthIn' });
export type AgentAuthIn = z.infer<typeof AgentAuthIn>;

const requirement = {
  scheme_name: z.string(),
  kind: z.enum(CONNECTION_KINDS).nullable().meta({ description: 'null: of a kind that cannot be sent from here.' }),
  location: z.string().nullable(),
  name: z.string().nullable().meta({ description: 'For an API key: the header or query parameter.' }),
  scheme: z.string().nullable().meta({ description: 'Scheme of HTTP authentication.' }),
  token_url: z.string().nullable(),
  description: z.string(),
};
export const Requirement = z.strictObject(requirement).meta({ id: 'AgentAuthRequirement' });

export const AgentAuthConnectionOut = z
  .strictObject({
    connection_id: z.int().min(1).max(MAX_INT32),
    kind: z.enum(CONNECTION_KINDS),
    scheme_name: z.string(),
    state: z.enum(CONNECTION_STATES).meta({ description: 'auth_required: its tokens are refused; failure says what to do.' }),
    failure: Fault.nullable(),
    location: z.enum(['header', 'query']).nullable(),
    name: z.string().nullable(),
    scheme: z.string().nullable(),
    token_url: z.string().nullable(),
    client_id: z.string().nullable(),
    refreshes: z.boolean().meta({ description: 'It has a refresh token and an address for it.' }),
    expires_at: Instant.nullable().meta({ description: 'End of the access token or of the certificate.' }),
    refreshed_at: Instant.nullable(),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: 'AgentAuthConnectionOut' });

export const AgentAuthOut = z
  .strictObject({
    requirements: z.array(z.strictObject({ ...requirement, configured: z.boolean() })).meta({ description: "What the agent's card asks of callers." }),
    connections: z.array(AgentAuthConnectionOut),
  })
  .meta({ id: 'AgentAuthOut' });

export const agentAuth = group({
  status: {
    at: 'GET /v1/agents/{name}/auth',
    summary: 'Read which credentials an imported agent requires, and which are configured',
    description: 'No value of a credential is ever shown again.',
    scope: 'authenticated',
    params: AgentParams,
    out: AgentAuthOut,
    errors: [401, 403, 404],
  },
  connect: {
    at: 'POST /v1/agents/{name}/auth',
    summary: 'Store a credential for an imported agent, in place of the one of the same scheme',
    description: 'Every call of the agent through this platform shows it, for every caller.',
    scope: 'authenticated',
    params: AgentParams,
    body: AgentAuthIn,
    out: AgentAuthConnectionOut,
    status: 201,
    errors: [400, 401, 403, 404, 409],
  },
  disconnect: {
    at: 'DELETE /v1/agents/{name}/auth/{connection_id}',
    summary: 'Remove a credential; calls stop showing it at once',
    scope: 'authenticated',
    params: AgentParams.extend({ connection_id: z.int().min(1).max(MAX_INT32) }),
    status: 204,
    errors: [401, 403, 404],
  },
});
