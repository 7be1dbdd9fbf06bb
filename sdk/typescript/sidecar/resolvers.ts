// The resolver a project declared: one the runtime has, or the author's own, which runs in the worker.
import type { AuthResolverDsl } from '../../../contract/wire/dsl.ts';
import { foldedName, HEADER } from '../../../contract/wire/headers.ts';
import type { AuthRequest, AuthResolver } from '../authoring/auth.ts';
import { PlatformUserAuthResolver } from '../authoring/platform-user.ts';
import { OIDCUserInfoAuthResolver, RemoteBearerAuthResolver, type RemoteAuthOptions } from '../authoring/remote-resolvers.ts';
import { APIKeyAuthResolver, NoAuthResolver, StaticAuthResolver } from '../authoring/resolvers.ts';
import type { Supervisor } from './supervisor.ts';

/**
 * The platform's own words to the runtime: the key of the agent and the credential of the run are not the
 * worker's; what the caller set comes with the run.
 */
const PRIVATE_HEADERS = new Set<string>([
  'authorization',
  'proxy-authorization',
  HEADER.callerAuthorization,
  HEADER.caller,
  HEADER.runToken,
  HEADER.setup,
  HEADER.setupSealed,
]);

export function resolverOf(dsl: AuthResolverDsl | null, supervisor: Supervisor, secrets: () => Readonly<Record<string, string>>): AuthResolver | undefined {
  switch (dsl?.kind) {
    case undefined:
      return undefined;
    case 'none':
      return new NoAuthResolver();
    case 'static':
      return new StaticAuthResolver(dsl.principal);
    case 'api_key':
      // Made for each call: a clone gets other secrets.
      return {
        resolve: (request) =>
          new APIKeyAuthResolver({
            acceptedKey: dsl.secret === null ? null : (secrets()[dsl.secret] ?? null),
            apiKeyId: dsl.api_key_id,
            scopes: dsl.scopes,
          }).resolve(request),
      };
    case 'worker':
      return { resolve: async (request) => await supervisor.ask((link) => link.resolveAuth(request, headersOf(request))) };
    case 'oidc_userinfo':
      return new OIDCUserInfoAuthResolver(remoteOptions(dsl));
    case 'remote_bearer':
      return new RemoteBearerAuthResolver(remoteOptions(dsl));
    case 'platform_user':
      return new PlatformUserAuthResolver({ allowLocalDev: dsl.allow_local_dev, trustHeaders: dsl.trust_headers, cookieName: dsl.cookie_name });
  }
}

/** The agent's auth model is applied afterwards, by the runtime. */
function remoteOptions(dsl: Extract<AuthResolverDsl, { kind: 'oidc_userinfo' | 'remote_bearer' }>): RemoteAuthOptions {
  return {
    url: dsl.url,
    method: dsl.method,
    timeoutSeconds: dsl.timeout_seconds,
    tokenHeader: dsl.token_header,
    tokenPrefix: dsl.token_prefix,
    activeField: dsl.active_field,
    subjectField: dsl.subject_field,
    emailField: dsl.email_field,
    orgField: dsl.org_field,
    scopesField: dsl.scopes_field,
    extraFields: dsl.extra_fields,
  };
}

function headersOf({ headers, bearer }: AuthRequest): Record<string, string> {
  const workerHeaders: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !PRIVATE_HEADERS.has(foldedName(name))) workerHeaders[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  if (bearer !== undefined) workerHeaders['authorization'] = `Bearer ${bearer}`;
  return workerHeaders;
}
