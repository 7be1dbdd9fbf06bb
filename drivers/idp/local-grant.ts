// A token in exchange for a key file of this machine: for local deploys, the demo and tests. Never with an
// outside provider.
import { createHash, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { errors, type Provider } from 'oidc-provider';
import { LOCAL_GRANT, RESOURCE_SCOPES, SCOPES } from '#contract/identity/oauth.ts';
import { isLoopbackAddress } from '#contract/wire/internet.ts';
import type { Accounts } from './accounts.ts';
import type { GuessLimits } from './guess-limits.ts';
import type { ResourceServerFor } from './configuration.ts';

export interface LocalGrantDeps {
  provider: Provider;
  accounts: Accounts;
  limits: GuessLimits;
  keyFile: string;
  /** Audience of the tokens. */
  resource: string;
  resourceServer: ResourceServerFor;
}

interface Params {
  account?: string;
  key?: string;
  scope?: string;
}

export function registerLocalGrant(deps: LocalGrantDeps): void {
  const { provider } = deps;
  provider.registerGrantType<Params>(
    LOCAL_GRANT,
    async (ctx) => {
      const { client, params } = ctx.oidc;
      if (!isLoopbackAddress(ctx.ip)) throw refused('only from this machine');
      const email = params.account ?? '';
      if ((await deps.limits.begin(ctx.ip, LOCAL_GRANT)) !== undefined) throw refused('too many tries, wait a quarter of an hour');
      if (!(await isKey(params.key ?? '', deps.keyFile))) throw refused("the key does not match this machine's");
      await deps.limits.succeeded(ctx.ip, LOCAL_GRANT);
      const account = await deps.accounts.byEmail(email);
      if (!account) throw refused(`no local account ${email}; make one in the browser with "svc signup"`);

      const { accountId } = account;
      const requestedScopes = new Set((params.scope ?? SCOPES.join(' ')).split(' '));
      const scope = SCOPES.filter((name) => requestedScopes.has(name)).join(' ');
      const grant = new provider.Grant({ clientId: client.clientId, accountId });
      grant.addOIDCScope(scope);
      grant.addResourceScope(deps.resource, scope);
      const grantId = await grant.save();
      const resourceServer = new provider.ResourceServer(deps.resource, deps.resourceServer());
      const accessToken = new provider.AccessToken({ client, accountId, grantId, gty: LOCAL_GRANT, resourceServer, expiresWithSession: false });
      accessToken.scope = RESOURCE_SCOPES.filter((name) => requestedScopes.has(name)).join(' ');
      const refreshToken = new provider.RefreshToken({
        client,
        accountId,
        grantId,
        gty: LOCAL_GRANT,
        scope,
        resource: deps.resource,
        rotations: 0,
        expiresWithSession: false,
      });
      ctx.body = {
        access_token: await accessToken.save(),
        token_type: 'Bearer',
        expires_in: accessToken.expiration,
        scope,
        ...(requestedScopes.has('offline_access') ? { refresh_token: await refreshToken.save() } : {}),
      };
    },
    ['account', 'key', 'scope'],
  );
}

/** Unlike InvalidGrant it gives the caller the reason: it has the key. */
function refused(why: string): Error {
  return new errors.CustomOIDCProviderError('invalid_grant', why);
}

async function isKey(given: string, keyFile: string): Promise<boolean> {
  // Read every time: replacing the file locks the old key out at once.
  const expected = (await readFile(keyFile, 'utf8')).trim();
  if (expected.length < 32) return false;
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
