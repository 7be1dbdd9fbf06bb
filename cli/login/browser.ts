// Signing in with a browser: authorization code with PKCE, the answer on a loopback port (RFC 8252).
import * as oidc from 'openid-client';
import { CliError } from '../lib/errors.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { discoverIssuer, type Tokens } from './oidc.ts';
import type { Output } from '../lib/output.ts';
import { listenForAnswer } from './loopback.ts';

/** For the person at the browser. */
export const WAIT_MS = 300_000;

export interface BrowserLogin {
  issuer: string;
  clientId: string;
  scope: string;
  port: number;
  /** Another port may be used when `port` is taken. */
  orAnother: boolean;
  open: boolean;
  /** Ask to make an account rather than sign in. */
  create: boolean;
  output: Output;
}

export async function signInWithBrowser(login: BrowserLogin): Promise<Tokens> {
  const configuration = await discoverIssuer(login.issuer, login.clientId);
  const loopback = await listenForAnswer(login.port, login.orAnother);
  try {
    const creates = login.create && canCreate(configuration);
    if (login.create && !creates) login.output.note('This identity provider has no page for new accounts: sign in with the account that you have.');
    const codeVerifier = oidc.randomPKCECodeVerifier();
    const [state, nonce] = [oidc.randomState(), oidc.randomNonce()];
    const url = oidc.buildAuthorizationUrl(configuration, {
      redirect_uri: loopback.redirectUri,
      scope: login.scope,
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      // OpenID's word for "make an account" (Initiating User Registration 1.0), where the provider knows it.
      ...(creates ? { prompt: 'create' } : {}),
    });
    await show(url, login);
    const answer = await within(loopback.answer, WAIT_MS);
    return await oidc.authorizationCodeGrant(configuration, answer, { pkceCodeVerifier: codeVerifier, expectedState: state, expectedNonce: nonce });
  } catch (error) {
    throw explained(error);
  } finally {
    loopback.close();
  }
}

export async function show(url: URL, { open, output }: Pick<BrowserLogin, 'open' | 'output'>): Promise<void> {
  output.note(open ? 'Opening your browser. If nothing happens, open this address:' : 'Open this address in a browser on this machine:');
  output.note(`\n  ${url}\n`);
  if (open) await openBrowser(url);
}

function canCreate(configuration: oidc.Configuration): boolean {
  const prompts: unknown = configuration.serverMetadata().prompt_values_supported;
  return Array.isArray(prompts) && prompts.includes('create');
}

/** Opens pages only: what a control plane calls an address must not start a program. */
export async function openBrowser(url: URL): Promise<void> {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return;
  // Kept out of the start of every other command.
  const { default: open } = await import('open');
  // No browser is no failure: the address has been printed.
  await open(url.href).then(
    (child) => child.on('error', () => {}),
    () => {},
  );
}

export async function within<T>(promise: Promise<T>, ms: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new CliError('The sign-in was not completed within five minutes. Try again.')), ms);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

function explained(error: unknown): unknown {
  if (error instanceof oidc.AuthorizationResponseError)
    return new CliError(`The identity provider refused: ${error.error_description ?? error.error}.`, EXIT.notSignedIn, { cause: error });
  if (error instanceof oidc.ResponseBodyError || error instanceof oidc.ClientError) {
    return new CliError(`The sign-in does not check out (${error.message}). Try again.`, EXIT.failure, { cause: error });
  }
  return error;
}
