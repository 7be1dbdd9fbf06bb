// A real provider that rotates refresh tokens and ends the whole family when one is used twice.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

export interface OauthProvider {
  url: string;
  tokenUrl: string;
  /** Of a person who signed in: what an owner stores. */
  issue(): Promise<{ access_token: string; refresh_token: string }>;
  /** The token holds now. */
  accepts(token: string): Promise<boolean>;
  /** Refreshes that gave tokens, and those that were refused. */
  counts: { refreshed: number; refused: number };
  /** Ends what was issued, as when a person withdraws their consent. */
  revoke(): Promise<void>;
  close(): Promise<void>;
}

const CLIENT = { client_id: 'svc', client_secret: 'the-client-secret' };

/** @param seconds that an access token holds */
export async function oauthProvider(seconds: number): Promise<OauthProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(url, {
    clients: [{ ...CLIENT, redirect_uris: ['https://example.com/back'], grant_types: ['authorization_code', 'refresh_token'] }],
    ttl: { AccessToken: seconds, RefreshToken: 86_400, Grant: 86_400 },
    rotateRefreshToken: true,
    scopes: ['openid', 'offline_access'],
    findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    cookies: { keys: ['test'] },
    features: { devInteractions: { enabled: false } },
  });
  const counts = { refreshed: 0, refused: 0 };
  provider.on('grant.success', () => void (counts.refreshed += 1));
  provider.on('grant.error', () => void (counts.refused += 1));
  server.on('request', provider.callback());
  const grants: string[] = [];
  return {
    url,
    tokenUrl: `${url}/token`,
    counts,
    async issue() {
      const client = await provider.Client.find(CLIENT.client_id);
      if (!client) throw new Error('the client does not exist');
      const grant = new provider.Grant({ accountId: 'ada', clientId: CLIENT.client_id });
      grant.addOIDCScope('openid offline_access');
      const grantId = await grant.save();
      grants.push(grantId);
      const about = { accountId: 'ada', client, grantId, scope: 'openid offline_access', gty: 'authorization_code' };
      const access_token = await new provider.AccessToken(about).save();
      const refresh_token = await new provider.RefreshToken({ ...about, rotations: 0, iiat: Math.floor(Date.now() / 1000) } as never).save();
      return { access_token, refresh_token };
    },
    async accepts(token) {
      return (await provider.AccessToken.find(token))?.isValid === true;
    },
    async revoke() {
      for (const id of grants) await provider.RefreshToken.revokeByGrantId(id);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export const OAUTH_CLIENT = CLIENT;
