// Consent: a third-party client asks to call an agent as the person. The page that names both, and the
// person's decision.
import formBody from 'co-body';
import {
  errors,
  interactionPolicy,
  type Client,
  type Grant,
  type Interaction,
  type InteractionResults,
  type KoaContextWithOIDC,
  type Provider,
} from 'oidc-provider';
import { CLI_CLIENT_ID, WEB_CLIENT_ID } from '#contract/identity/oauth.ts';
import { AGENT_SCOPE } from '#contract/identity/resources.ts';
import { isLoopback } from './client-documents.ts';
import { consentPage } from './consent-page.ts';

const MAX_FORM_BYTES = '1kb';

export function isOwnClient(clientId: string): boolean {
  return clientId === CLI_CLIENT_ID || clientId === WEB_CLIENT_ID;
}

/** Which agent a resource indicator names. */
export type AgentOf = (resource: string) => { agent: string } | undefined;

export interface ConsentDeps {
  provider: Provider;
  agentOf: AgentOf;
}

/** What a client may learn of the person, each only where it asks. */
const PERSONAL = ['email', 'profile'] as const;

/**
 * Our own clients are not asked about. Others are, whatever scopes they name or leave out: an agent must have
 * been allowed to this client, and what it learns of the person; one that comes back to a port of the
 * person's machine, where any program may listen, is asked about each time (RFC 8252, 8.6).
 */
export function consentPolicy(): ReturnType<typeof interactionPolicy.base> {
  const prompts = interactionPolicy.base();
  const consent = prompts.get('consent');
  consent?.checks.remove('native_client_prompt');
  consent?.checks.add(
    new interactionPolicy.Check('agent_not_allowed', 'the person has not allowed it', 'interaction_required', ({ oidc }) => {
      const { client, result, grant, resourceServers = {}, params } = oidc;
      if (client === undefined || isOwnClient(client.clientId) || result?.consent) return interactionPolicy.Check.NO_NEED_TO_PROMPT;
      const allowed = Object.keys(resourceServers).every((resource) => grant?.getResourceScope(resource).split(' ').includes(AGENT_SCOPE));
      return allowed && !isLoopback(params?.redirect_uri) ? interactionPolicy.Check.NO_NEED_TO_PROMPT : interactionPolicy.Check.REQUEST_PROMPT;
    }),
  );
  return prompts;
}

/** The grant of another's client: as the person just gave it, else as they gave it before in this browser. */
export async function grantedBefore({ oidc }: KoaContextWithOIDC): Promise<Grant | undefined> {
  const { client, session, result, provider } = oidc;
  const id = result?.consent?.grantId ?? (client && session?.grantIdFor(client.clientId));
  return id === undefined ? undefined : provider.Grant.find(id);
}

/** GET shows the page. POST: what the person said; undefined when the page was shown. */
export async function askConsent(
  { provider, agentOf }: ConsentDeps,
  ctx: KoaContextWithOIDC,
  { interaction, client, person, show }: { interaction: Interaction; client: Client; person: string; show: (html: string) => void },
): Promise<InteractionResults | undefined> {
  const resources = [interaction.params.resource].flat().filter((one) => typeof one === 'string');
  const agents = resources.flatMap((resource) => agentOf(resource)?.agent ?? []);
  const scopes = String(interaction.params.scope ?? '').split(' ');
  // Without an agent it only signs the person in.
  if (agents.length !== resources.length || (agents.length === 0 && !scopes.includes('openid'))) throw new errors.InvalidTarget();
  const learns = PERSONAL.filter((scope) => scopes.includes(scope));
  if (ctx.method === 'GET') {
    show(consentPage({ path: ctx.path, issuer: provider.issuer, client, agents, learns, person, redirectUri: String(interaction.params.redirect_uri) }));
    return undefined;
  }
  const form: unknown = await formBody.form(ctx.req, { limit: MAX_FORM_BYTES });
  const decision = typeof form === 'object' && form !== null && 'allow' in form ? form.allow : undefined;
  if (decision !== 'yes') return { error: 'access_denied', error_description: 'the person did not allow it' };
  // Of its own: what was allowed to this client before is not widened by it.
  const grant = new provider.Grant({ accountId: interaction.session?.accountId ?? '', clientId: client.clientId });
  grant.addOIDCScope(['openid', 'offline_access', ...learns].join(' '));
  for (const resource of resources) grant.addResourceScope(resource, AGENT_SCOPE);
  return { consent: { grantId: await grant.save() } };
}
