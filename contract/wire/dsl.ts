// The compiled declaration of a project (.svc/agent.dsl.json): all the common runtime needs to serve an agent
// whose handlers run in a worker.
import { z } from 'zod';
import { AgentCard } from './card.ts';
import { Frontend } from './manifest.ts';
import { Entrypoint } from './names.ts';
import { ServiceDsl } from './service.ts';

const headerName = z.string().regex(/^[A-Za-z0-9-]{1,64}$/);
const remote = {
  url: z.url({ protocol: /^https?$/ }),
  method: z.enum(['GET', 'POST']).default('GET'),
  timeout_seconds: z.number().positive().max(30).default(5),
  token_header: headerName.default('authorization'),
  token_prefix: z.string().default('bearer'),
  active_field: z.string().default('active'),
  subject_field: z.string().default('sub'),
  email_field: z.string().default('email'),
  org_field: z.string().default('org_id'),
  scopes_field: z.string().default('scope'),
  extra_fields: z.record(z.string(), z.string()).nullable().default(null),
};

/**
 * Resolvers the runtime knows by name and runs itself; `worker` asks the worker (a resolver the author
 * wrote).
 */
export const AuthResolverDsl = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('none') }),
  /** The accepted key is named, never written down: it is one of the agent's secrets. */
  z.object({
    kind: z.literal('api_key'),
    secret: z.string().nullable(),
    api_key_id: z.string().default('configured'),
    scopes: z.array(z.string()).default([]),
  }),
  z.object({ kind: z.literal('oidc_userinfo'), ...remote }),
  z.object({ kind: z.literal('remote_bearer'), ...remote }),
  z.object({
    kind: z.literal('platform_user'),
    allow_local_dev: z.boolean().default(true),
    trust_headers: z.boolean().nullable().default(null),
    cookie_name: z.string().default('svc_session'),
  }),
  z.object({ kind: z.literal('static'), principal: z.record(z.string(), z.unknown()) }),
  z.object({ kind: z.literal('worker') }),
]);
export type AuthResolverDsl = z.infer<typeof AuthResolverDsl>;

export const WorkerLanguage = z.enum(['python', 'go', 'rust']);
export type WorkerLanguage = z.infer<typeof WorkerLanguage>;

export const AgentDsl = z
  .strictObject({
    dsl: z.literal(1),
    card: AgentCard,
    worker: z.strictObject({ language: WorkerLanguage, entrypoint: Entrypoint }),
    /** JSON Schema of the principal; {} is NoAuth. */
    auth_model: z.record(z.string(), z.unknown()).default({}),
    /** null: none declared. */
    auth_resolver: AuthResolverDsl.nullable().default(null),
    frontend: Frontend.nullable().default(null),
    /** The worker's program speaks no worker protocol: it serves HTTP, and its operations are the skills. */
    service: ServiceDsl.optional(),
  })
  .meta({ id: 'AgentDsl' });
export type AgentDsl = z.infer<typeof AgentDsl>;

export const DSL_FILE = '.svc/agent.dsl.json';
