// Values an agent's owner gives it, written and never read again.
import { z } from 'zod';
import { group } from '../kit.ts';
import { AgentParams, Instant } from '../shared.ts';

/** UTF-8 bytes of one value, and how many an agent has. */
export const MAX_SECRET_BYTES = 64 * 1024;
export const MAX_SECRETS = 100;
export const MAX_SECRETS_BYTES = 512 * 1024;

const FORBIDDEN_HEADERS = new Set(
  'connection content-length content-type expect forwarded host keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
);

export const SecretKey = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'use a letter or _, then letters, digits and _ (128 at most), as environment variables have it')
  .refine((name) => !name.toUpperCase().startsWith('SVC_'), 'names that begin with SVC_ are the platform’s own')
  .meta({ pattern: '^(?![Ss][Vv][Cc]_)[A-Za-z_][A-Za-z0-9_]{0,127}$', examples: ['API_TOKEN'] });

export const SecretInjection = z
  .strictObject({
    host: z
      .string()
      .max(253)
      .regex(/^(?=.*[a-z])[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})+$/, 'must be one host name in lower case, without scheme, port or *')
      .meta({ examples: ['api.example.com'] }),
    header: z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9-]{0,63}$/, 'must be the name of a header')
      .refine((name) => !FORBIDDEN_HEADERS.has(name.toLowerCase()), 'this header belongs to the connection, not to you')
      .meta({ examples: ['authorization'] }),
    scheme: z
      .string()
      .regex(/^[A-Za-z][\w-]{0,31}$/, 'must be one word, for example Bearer')
      .optional()
      .meta({ description: 'Written before the value, with a space between.' }),
  })
  .meta({
    id: 'SecretInjection',
    description:
      'The value never enters the machine of the agent. The agent asks http://<host>.svc-inject.internal/… and the egress proxy forwards over TLS to exactly https://<host>/… with the header added.',
  });
export type SecretInjection = z.infer<typeof SecretInjection>;

export const AgentSecretIn = z
  .strictObject({
    key: SecretKey,
    value: z
      .string()
      .min(1)
      .max(MAX_SECRET_BYTES)
      .meta({ description: 'At most 64 KiB.', examples: ['s3cret'] }),
    inject: SecretInjection.nullable().default(null),
  })
  .refine(({ value, inject }) => inject === null || /^[\x21-\x7e](?:[\x20-\x7e]{0,4094}[\x21-\x7e])?$/.test(value), {
    path: ['value'],
    message: 'a value for a header has at most 4096 printable ASCII characters and no space at its ends',
  })
  .meta({ id: 'AgentSecretIn' });

const secret = {
  key: z.string(),
  version: z.int().min(1).meta({ description: 'Grows by one with every new value.' }),
  inject: SecretInjection.nullable(),
  created_at: Instant,
  updated_at: Instant,
};
export const AgentSecretOut = z.strictObject(secret).meta({ id: 'AgentSecretOut' });
export const AgentSecretListOut = z
  .strictObject({
    items: z.array(AgentSecretOut),
    missing: z.array(z.string()).meta({ description: 'Required by the card of the live deployment, and not set.' }),
  })
  .meta({ id: 'AgentSecretListOut' });
export const AgentSecretSetOut = z
  .strictObject({
    ...secret,
    applies: z.enum(['next_start', 'restarting']).meta({ description: 'next_start: from the next deployment or restart on.' }),
    deploy_id: z.string().nullable().meta({ description: 'Deployment of the restart: the same image, deployed again.' }),
    job_id: z.string().nullable(),
  })
  .meta({ id: 'AgentSecretSetOut' });

const restart = z.object({ restart: z.boolean().default(false).meta({ description: 'Replace the live instance, so that it applies now.' }) });

export const agentSecrets = group({
  list: {
    at: 'GET /v1/agents/{name}/secrets',
    summary: "Names and versions of the agent's secrets",
    description: 'Nothing here is made from a value.',
    scope: 'authenticated',
    params: AgentParams,
    out: AgentSecretListOut,
    errors: [401, 403, 404],
  },
  upsert: {
    at: 'POST /v1/agents/{name}/secrets',
    summary: 'Set a secret, in place of the one before',
    scope: 'authenticated',
    params: AgentParams,
    query: restart,
    body: AgentSecretIn,
    out: AgentSecretSetOut,
    errors: [401, 403, 404, 409, 413],
  },
  delete: {
    at: 'DELETE /v1/agents/{name}/secrets/{key}',
    summary: 'Delete a secret',
    description: 'A running instance keeps its old values until it is replaced: now with `restart`.',
    scope: 'authenticated',
    params: AgentParams.extend({ key: SecretKey }),
    query: restart,
    status: 204,
    errors: [401, 403, 404, 409],
  },
});
