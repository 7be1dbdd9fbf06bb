// The API's context: the drivers, identity and payments that an environment names, over one pool.
// stack/console opens the same.
import type { Logger } from 'pino';
import { domainChannel } from '#core/agents/domain/changed.ts';
import { routeChannel } from '#core/agents/route/changed.ts';
import { startListener } from '#core/jobs/wakeups.ts';
import { followers } from '#core/followers.ts';
import type { Ctx, PlatformConfig } from '#core/kernel/ctx.ts';
import { openDatabase } from '#core/kernel/database.ts';
import { requireKvm } from '#core/kernel/strangers.ts';
import { onBrokenRules } from '#core/policy/index.ts';
import { domainDrivers } from '#drivers/certificates/environment.ts';
import { mailConfiguration } from '#drivers/mail/environment.ts';
import { openDrivers, openPayments, openTraces } from '#drivers/open.ts';
import { paymentsConfiguration } from '#drivers/payments/environment.ts';
import { s3Configuration } from '#drivers/storage/environment.ts';
import type { ApiEnvironment } from './environment.ts';
import { createIdentity } from './routes/identity/compose.ts';

/** Nobody acts in its `ctx`. */
export async function openContext(env: ApiEnvironment, log: Logger) {
  const config: PlatformConfig = {
    baseUrl: env.SVC_BASE_URL,
    agentsDomain: env.SVC_AGENTS_DOMAIN,
    apiHosts: env.SVC_API_HOSTS,
    scmWebhookSecret: env.SVC_SCM_WEBHOOK_SECRET,
    workflowsUrl: env.SVC_WORKFLOWS_URL,
    domains: { targets: env.SVC_DOMAINS_TARGETS, https: env.SVC_HTTPS_PORT !== undefined },
  };
  const db = openDatabase('api', env.DATABASE_URL);
  const [open, listener] = await Promise.all([openDrivers(driverOptions(env)), startListener(env.DATABASE_URL, [routeChannel, domainChannel])]);
  if (env.SVC_REQUIRE_KVM) requireKvm(db, open.runtime);
  const identity = await createIdentity({
    config,
    db,
    vault: open.vault,
    issuer: env.OIDC_ISSUER,
    secretsDir: env.SVC_SECRETS_DIR,
    client: env.OIDC_CLIENT_ID && env.OIDC_CLIENT_SECRET ? { id: env.OIDC_CLIENT_ID, secret: env.OIDC_CLIENT_SECRET } : undefined,
    audience: env.OIDC_AUDIENCE,
    operators: env.SVC_OPERATORS,
    signUp: env.SVC_SIGNUP,
    clientHosts: env.SVC_OAUTH_CLIENT_HOSTS,
    trustProxy: env.SVC_TRUST_PROXY,
    onError: (error) => log.error({ err: error }, 'identity'),
  });
  const traces = openTraces(db, { log });
  onBrokenRules((broken) => log.error(broken, 'the rules of an account cannot be evaluated: they deny'));
  const payments = await openPayments(paymentsConfiguration(env), { db, vault: open.vault });
  const ctx: Ctx = {
    actor: { kind: 'anonymous' },
    config,
    db,
    drivers: { ...open, accessTokens: identity.accessTokens, login: identity.login, payments, wakeups: listener, traces },
    followers,
    clock: Date.now,
    requestId: 'start',
  };
  return {
    ctx,
    identity,
    open,
    listener,
    async close(): Promise<void> {
      await Promise.all([open.agentPools.close(), open.remote.close(), open.pushes.close(), traces.close(), listener.close()]);
      await Promise.all([open.workflows.close(), db.destroy()]);
    },
  };
}

function driverOptions(env: ApiEnvironment): Parameters<typeof openDrivers>[0] {
  const apiKey = env.TEMPORAL_API_KEY === undefined ? {} : { apiKey: env.TEMPORAL_API_KEY };
  return {
    stateDir: env.SVC_STATE_DIR,
    secretsDir: env.SVC_SECRETS_DIR,
    hostSocket: env.SVC_HOST_SOCKET,
    s3: s3Configuration(env),
    mail: mailConfiguration(env),
    llmLocalHosts: env.SVC_LLM_LOCAL_HOSTS,
    importLocalHosts: env.SVC_IMPORT_LOCAL_HOSTS,
    pushLocalHosts: env.SVC_PUSH_LOCAL_HOSTS,
    ssoLocalHosts: env.SVC_SSO_LOCAL_HOSTS,
    ...domainDrivers(env),
    temporal: { address: env.TEMPORAL_ADDRESS, namespace: env.TEMPORAL_NAMESPACE, ...apiKey },
  };
}
