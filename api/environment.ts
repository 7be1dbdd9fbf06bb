// The API's environment, read once.
import { z } from 'zod';
import { domainVariables } from '#drivers/certificates/environment.ts';
import { listed } from '#drivers/environment-lists.ts';
import { mailServerVariables, mailVariables } from '#drivers/mail/environment.ts';
import { outboundVariables } from '#drivers/outbound/environment.ts';
import { paymentVariables } from '#drivers/payments/environment.ts';
import { storageVariables } from '#drivers/storage/environment.ts';
import { LOG_LEVELS } from '#contract/states.ts';

export const Environment = z.object({
  SVC_PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
  /** Address to listen on; default: this machine only. */
  SVC_LISTEN: z.string().min(1).default('127.0.0.1'),
  /** Prometheus metrics on a port of their own, this machine only; absent: none. */
  SVC_METRICS_PORT: z.coerce.number().int().min(1).max(65_535).optional(),
  /** A proxy of the operator stands in front and sends the caller's address (X-Forwarded-For). */
  SVC_TRUST_PROXY: z.stringbool().default(false),
  SVC_BASE_URL: z.url().transform((url) => url.replace(/\/$/, '')),
  SVC_AGENTS_DOMAIN: z.string().min(1),
  /** Further host names of the API, separated by commas, such as a service's name inside a cluster. */
  SVC_API_HOSTS: listed.optional(),
  SVC_STATE_DIR: z.string().min(1),
  /**
   * Where operators find the workflows in Temporal's Web UI:
   * `http://localhost:8233/namespaces/svc/workflows`.
   */
  SVC_WORKFLOWS_URL: z.url({ protocol: /^https?$/ }).optional(),
  /** What `node web/build/build.ts FOLDER` made; absent: no dashboard is served. */
  SVC_DASHBOARD_DIR: z.string().min(1).optional(),
  SVC_SECRETS_DIR: z.string().min(1),
  SVC_HOST_SOCKET: z.string().min(1),
  /** While the host has no KVM, only operators and their organizations are served. */
  SVC_REQUIRE_KVM: z.stringbool().default(false),
  SVC_LOG_LEVEL: z.enum([...LOG_LEVELS, 'silent']).default('info'),
  DATABASE_URL: z.url(),
  TEMPORAL_ADDRESS: z.string().min(1),
  TEMPORAL_NAMESPACE: z.string().min(1).default('svc'),
  TEMPORAL_API_KEY: z.string().optional(),
  OIDC_ISSUER: z.url(),
  /** Of an outside issuer; the embedded one needs none of these. */
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  OIDC_AUDIENCE: z.string().optional(),
  /**
   * Agents' cards name gRPC too. Off: clients that want an http address of every interface refuse the whole
   * card. gRPC is served either way.
   */
  SVC_CARDS_LIST_GRPC: z.stringbool().default(false),
  /** Email addresses, separated by commas. */
  SVC_OPERATORS: listed.optional(),
  /** By which Forgejo or GitHub sign what they send to the webhooks; absent: the webhooks answer 503. */
  SVC_SCM_WEBHOOK_SECRET: z.string().min(16).optional(),
  /** Whether people may make accounts at the embedded identity provider. */
  SVC_SIGNUP: z.stringbool().optional(),
  /**
   * `host` or `host:port`, separated by commas: internal addresses whose documents may describe programs that
   * sign in, over plain http too.
   */
  SVC_OAUTH_CLIENT_HOSTS: listed.optional(),
  /**
   * `host` or `host:port`, separated by commas: internal identity providers that organizations may connect,
   * over plain http too.
   */
  SVC_SSO_LOCAL_HOSTS: listed.optional(),
  /**
   * The API's own https, with certificates of custom domains; people reach it as port 443. Absent: a proxy of
   * the operator speaks https, or nobody.
   */
  SVC_HTTPS_PORT: z.coerce.number().int().min(0).max(65_535).optional(),
  ...domainVariables,
  ...mailVariables,
  ...mailServerVariables,
  ...outboundVariables,
  ...paymentVariables,
  ...storageVariables,
});

export type ApiEnvironment = z.output<typeof Environment>;

/** Throws an error that names every missing or wrong variable. */
export function readEnvironment(env: NodeJS.ProcessEnv): ApiEnvironment {
  const parsed = Environment.safeParse(env);
  if (parsed.success) return parsed.data;
  throw new Error(`The API's environment is not complete:\n${z.prettifyError(parsed.error)}\nnpm run up sets it`);
}
