// The document in which an issuer of OpenID Connect describes itself, and whether it is the issuer that was
// named.
import * as oidc from 'openid-client';
import { z } from 'zod';
import { LoginError } from './port.ts';

export interface IssuerSettings {
  issuer: string;
  clientId: string;
  secret?: oidc.ClientAuth | undefined;
  execute?: ((config: oidc.Configuration) => void)[] | undefined;
  timeoutSeconds: number;
  fetch?: typeof fetch | undefined;
}

/** @throws LoginError `unreachable`; `invalid`: it is another issuer */
export async function discoverIssuer(settings: IssuerSettings): Promise<oidc.Configuration> {
  try {
    return await discoverEitherForm(settings);
  } catch (error) {
    const named = issuerNamedBy(error);
    if (named === undefined) throw new LoginError('unreachable', 'the identity provider cannot be reached', { cause: error });
    throw new LoginError('invalid', `the identity provider at ${settings.issuer} calls itself ${named}: an operator names it by that address (OIDC_ISSUER)`, {
      cause: error,
    });
  }
}

/**
 * With or without the last slash: both forms are in use, of Auth0's for one. Which is right the document
 * says.
 */
async function discoverEitherForm(settings: IssuerSettings): Promise<oidc.Configuration> {
  try {
    return await discover(settings, settings.issuer);
  } catch (error) {
    const named = issuerNamedBy(error);
    if (named === undefined || !isSameIssuer(named, settings.issuer)) throw error;
    return discover(settings, named);
  }
}

/** With or without the last slash. */
export function isSameIssuer(one: string, other: string): boolean {
  return bare(one) === bare(other);
}

/** As tokens may name it. */
export function formsOf(issuer: string): string[] {
  return [bare(issuer), `${bare(issuer)}/`];
}

const bare = (issuer: string): string => issuer.replace(/\/$/, '');

function discover({ clientId, secret, execute = [], timeoutSeconds, fetch: send }: IssuerSettings, issuer: string): Promise<oidc.Configuration> {
  return oidc.discovery(new URL(issuer), clientId, undefined, secret ?? oidc.None(), {
    execute: [...insecure(issuer), ...execute],
    timeout: timeoutSeconds,
    ...(send && { [oidc.customFetch]: reach(send) }),
  });
}

/** Another configuration of the same issuer reaches it in the same way. */
export function prepare(configuration: oidc.Configuration, { issuer, execute = [], timeoutSeconds, fetch: send }: IssuerSettings): void {
  for (const one of [...insecure(issuer), ...execute]) one(configuration);
  configuration.timeout = timeoutSeconds;
  if (send) configuration[oidc.customFetch] = reach(send);
}

/** Plain http is for an issuer on this machine only. */
const insecure = (issuer: string): IssuerSettings['execute'] & object => (new URL(issuer).protocol === 'http:' ? [oidc.allowInsecureRequests] : []);

const reach =
  (send: typeof fetch) =>
  (url: string, init: oidc.CustomFetchOptions): Promise<Response> =>
    send(url, init as RequestInit);

const Mismatch = z.object({ attribute: z.literal('issuer'), body: z.object({ issuer: z.string() }) });

/** What the document says where it is not what was asked for; undefined: the failure is another. */
function issuerNamedBy(error: unknown): string | undefined {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    const cause = Mismatch.safeParse(at.cause);
    if (cause.success) return cause.data.body.issuer;
  }
  return undefined;
}
