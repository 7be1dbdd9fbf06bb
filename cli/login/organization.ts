// Sign-in by an organization's own provider: the platform does it with the browser, and a code comes back to
// a loopback port, valid only with our verifier.
import { createHash, randomBytes } from 'node:crypto';
import { createClient } from '#contract/client.ts';
import type { Credential } from './credentials.ts';
import { CliError } from '../lib/errors.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { type BrowserLogin, show, WAIT_MS, within } from './browser.ts';
import { listenForAnswer } from './loopback.ts';

export interface OrganizationLogin extends Pick<BrowserLogin, 'port' | 'orAnother' | 'open' | 'output'> {
  api: string;
  /** Its slug. */
  organization: string;
}

/** The token ends when the organization says; it is not refreshed. */
export async function signInByOrganization(login: OrganizationLogin): Promise<Credential> {
  const loopback = await listenForAnswer(login.port, login.orAnother);
  try {
    const [verifier, state] = [randomBytes(32).toString('base64url'), randomBytes(24).toString('base64url')];
    const url = new URL('/v1/auth/sso/start', login.api);
    url.search = new URLSearchParams({
      organization: login.organization,
      cli_port: new URL(loopback.redirectUri).port,
      cli_challenge: createHash('sha256').update(verifier).digest('base64url'),
      cli_state: state,
    }).toString();
    await show(url, login);
    const answer = await within(loopback.answer, WAIT_MS);
    const code = answer.searchParams.get('code');
    if (code === null || answer.searchParams.get('state') !== state)
      throw new CliError('The browser came back with an answer that was not asked for here. Try again.', EXIT.failure);
    const { access_token, expires_at } = await createClient({ baseUrl: login.api }).auth.redeemSso({ body: { code, verifier } });
    return { access_token, expires_at: Date.parse(expires_at) };
  } finally {
    loopback.close();
  }
}
