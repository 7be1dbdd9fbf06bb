// The API as a local account calls it: whoever may read the installation's key file has a token for each.
import { signInLocally } from '#cli/login/local.ts';
import { type Client, createClient } from '#contract/client.ts';
import { CLI_CLIENT_ID, SCOPES } from '#contract/identity/oauth.ts';
import type { Contract } from '#contract/index.ts';
import { baseUrl } from './environment.ts';
import { places, type Settings } from './settings.ts';

export type Api = Client<Contract>;

export async function apiAs(settings: Settings, email: string): Promise<Api> {
  return createClient({ baseUrl: baseUrl(settings), token: await tokenOf(settings, email) });
}

export async function tokenOf(settings: Settings, email: string): Promise<string> {
  const base = baseUrl(settings);
  const from = { issuer: settings.OIDC_ISSUER ?? `${base}/idp`, clientId: CLI_CLIENT_ID, email };
  const { access_token } = await signInLocally({ ...from, scope: SCOPES.join(' '), secretsDir: places(settings.stateDir).secrets });
  return access_token;
}
