// `check-sign-in`: whether the identity provider of the settings is set up so that people can sign in.
import { readFile } from 'node:fs/promises';
import { checkProvider, type ProviderSettings } from '#drivers/idp/check.ts';
import { baseUrl } from '../environment.ts';
import type { Settings } from '../settings.ts';

/** `tokenFile`: with an access token to look at. Answers 1 where something has to be changed. */
export async function checkSignIn(settings: Settings, tokenFile: string | undefined, print: (line: string) => void): Promise<number> {
  const { OIDC_ISSUER: issuer } = settings;
  if (issuer === undefined) throw new Error('No identity provider is set: people sign in at the platform itself. Name another by OIDC_ISSUER.');
  const token = tokenFile === undefined ? undefined : (await readFile(tokenFile, 'utf8')).trim();
  let faults = 0;
  for await (const { ok, text } of checkProvider({ ...providerSettings(settings, issuer), token })) {
    faults += ok ? 0 : 1;
    print(`${ok ? '✓' : '✗'} ${text}`);
  }
  return faults > 0 ? 1 : 0;
}

export function providerSettings(settings: Settings, issuer: string): ProviderSettings {
  const { inherited: env } = settings;
  const [id, secret] = [env.OIDC_CLIENT_ID, env.OIDC_CLIENT_SECRET];
  const origin = baseUrl(settings);
  return {
    issuer,
    client: id !== undefined && secret !== undefined ? { id, secret } : undefined,
    audience: env.OIDC_AUDIENCE ?? origin,
    redirectUri: `${origin}/v1/auth/oidc/callback`,
    operators: env.SVC_OPERATORS?.split(',').map((one) => one.trim()),
  };
}
