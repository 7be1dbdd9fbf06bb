// What an imported agent is shown of its caller: each kind before official servers of both protocols, and a
// real provider whose tokens rotate.
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { AgentAuthIn } from '#contract/imports/agent-auth.ts';
import { connectAuth } from '#core/imports/connection/connect.ts';
import { disconnectAuth } from '#core/imports/connection/disconnect.ts';
import { authStatus } from '#core/imports/connection/status.ts';
import { importAgent } from '#core/imports/import/import.ts';
import { testContext, type TestUser } from '#test/support/context.ts';
import { agentCredentials } from '#core/imports/connection/credentials.ts';
import { certificates } from './test/certificates.ts';
import { OAUTH_CLIENT, oauthProvider } from './test/oauth.ts';
import { a2aRemote, type Door, hostOf, mcpRemote, type Remote, type ServeOptions } from './test/remotes.ts';
import { importWorld, type ImportWorld } from './test/world.ts';

type Kind = 'a2a' | 'mcp';
const REMOTES: Record<Kind, (options: ServeOptions) => Promise<Remote>> = { a2a: a2aRemote, mcp: mcpRemote };
const CALLS: Record<Kind, [skill: string, args: Record<string, unknown>, result: unknown]> = {
  a2a: ['say_it', { text: 'hi' }, { text: 'you said: hi' }],
  mcp: ['add', { a: 1, b: 2 }, { sum: 3 }],
};
let pki: Awaited<ReturnType<typeof certificates>>;
beforeAll(async () => {
  pki = await certificates();
});

/** A remote behind a door, imported by Ada with the credential that opens it. */
async function world(
  kind: Kind,
  options: ServeOptions,
  auth: (remote: Remote) => AgentAuthIn,
): Promise<{ w: ImportWorld; ada: TestUser; remote: Remote; name: string }> {
  const remote = await REMOTES[kind]({ ...options, guardsCard: true });
  const w = await importWorld({ importLocalHosts: [hostOf(remote)] });
  onTestFinished(async () => {
    await w.close();
    await remote.close();
  });
  const ada = await w.user('ada');
  const url = kind === 'mcp' ? `${remote.url}/mcp` : remote.url;
  const { name } = await importAgent(ada, { url, visibility: 'unlisted', auth: auth(remote) });
  return { w, ada, remote, name };
}

const header =
  (name: string, value: string): Door =>
  (request) =>
    request.headers[name] === value;
const DOORS: [string, ServeOptions | (() => ServeOptions), () => AgentAuthIn][] = [
  ['an API key in a header', { admits: header('x-api-key', 'k-1') }, () => ({ kind: 'api_key', name: 'X-Api-Key', value: 'k-1', location: 'header' })],
  [
    'an API key in the query',
    { admits: ({ url }) => new URL(url ?? '', 'http://x').searchParams.get('key') === 'k-2' },
    () => ({ kind: 'api_key', name: 'key', value: 'k-2', location: 'query' }),
  ],
  ['a bearer token', { admits: header('authorization', 'Token t-1') }, () => ({ kind: 'bearer', token: 't-1', scheme: 'Token' })],
  ['mutual TLS', () => ({ tls: { ...pki.server, ca: pki.ca } }), () => ({ kind: 'mtls', ...pki.client, ca: pki.ca })],
];

describe.each(Object.keys(REMOTES) as Kind[])('before a server of %s', (kind) => {
  test.each(DOORS)('%s is shown, and nothing of the caller', async (_, options, auth) => {
    const { w, ada, remote, name } = await world(kind, typeof options === 'function' ? options() : options, auth);
    const [skill, args, result] = CALLS[kind];
    expect(await w.call(ada, name, skill, args)).toMatchObject({ status: 200, body: result });
    const told = remote.seen.flatMap(({ rawHeaders }) => rawHeaders).join('\n');
    expect(told).not.toMatch(/svc_run_|svc_imp_|x-svc-/i);
    // Taken away, the next call is refused, and says how that is mended.
    const [connection] = (await authStatus(ada, { name })).connections;
    await disconnectAuth(ada, { name, connection_id: connection?.connection_id ?? 0 });
    await expect
      .poll(
        () =>
          w.call(ada, name, skill, args).then(
            () => 'answered',
            (error: { code: string }) => error.code,
          ),
        { timeout: 20_000 },
      )
      .toMatch(/^(?:auth_required|remote_failed)$/);
  });
});

test('a value is sealed, never shown, and in no row or answer', async () => {
  const { w, ada, name } = await world('a2a', DOORS[0]?.[1] as ServeOptions, () => ({ kind: 'api_key', name: 'x-api-key', value: 'k-1', location: 'header' }));
  const shown = JSON.stringify([await authStatus(ada, { name }), await w.ctx.db('agent_connections'), await w.ctx.db('audit_log'), await w.ctx.db('jobs')]);
  expect(shown).toContain('x-api-key');
  expect(shown).not.toContain('k-1');
});

test('what cannot be used is refused when it is stored', async () => {
  const { ada, name } = await world('a2a', {}, () => ({ kind: 'bearer', token: 'x', scheme: 'Bearer' }));
  const refused = (i: AgentAuthIn): Promise<unknown> => connectAuth(ada, name, i).then(() => 'stored', (error: { code: string; message: string }) => `${error.code}: ${error.message}`); // prettier-ignore
  expect(await refused({ kind: 'mtls', cert: 'x', key: pki.client.key, ca: null })).toMatch(/^connection_invalid: cert is not/);
  expect(await refused({ kind: 'mtls', cert: pki.client.cert, key: pki.server.key, ca: null })).toMatch(/key does not belong to cert/);
  expect(await refused({ kind: 'mtls', cert: pki.client.cert, key: 'nonsense', ca: null })).not.toContain('nonsense');
  expect(await refused({ kind: 'mtls', ...pki.client, ca: pki.client.cert })).toMatch(/may not sign others|ca is/);
  expect(await refused({ kind: 'oauth2', access_token: 'a', refresh_token: 'r' })).toMatch(/needs token_url/);
  expect(await refused({ kind: 'oauth2', access_token: 'a', refresh_token: 'r', token_url: 'https://169.254.169.254/token' })).toMatch(
    /^remote_address_refused/,
  );
});

test('a card says what it asks for, and the status what is missing', async () => {
  const securitySchemes = { key: { apiKeySecurityScheme: { location: 'header', name: 'x-key' } }, login: { oauth2SecurityScheme: { flows: {} } } };
  const remote = await a2aRemote({ card: { securitySchemes, securityRequirements: [{ schemes: { key: { list: [] } } }] } });
  const w = await importWorld({ importLocalHosts: [hostOf(remote)] });
  onTestFinished(async () => {
    await w.close();
    await remote.close();
  });
  const ada = await w.user('ada');
  const { name, requirements } = await importAgent(ada, { url: remote.url, visibility: 'unlisted', auth: null });
  expect(requirements).toEqual([expect.objectContaining({ scheme_name: 'key', kind: 'api_key', location: 'header', name: 'x-key' })]);
  expect((await authStatus(ada, { name })).requirements).toMatchObject([{ configured: false }]);
  await connectAuth(ada, name, { kind: 'api_key', name: 'x-key', value: 'v', location: 'header' });
  expect(await authStatus(ada, { name })).toMatchObject({ requirements: [{ configured: true }], connections: [{ scheme_name: 'key', state: 'ready' }] });
});

describe('tokens of a provider that rotates them', () => {
  test.each(Object.keys(REMOTES) as Kind[])(
    '100 calls of a server of %s race the end of the token over two processes: one refresh, no call is refused',
    async (kind) => {
      const provider = await oauthProvider(3_600);
      let good = '';
      const remote = await REMOTES[kind]({ guardsCard: true, admits: ({ headers }) => headers.authorization === `Bearer ${good}` });
      const w = await importWorld({ importLocalHosts: [hostOf(remote), new URL(provider.url).host], connections: 20 });
      const second = await testContext({ databaseUrl: w.databaseUrl, folder: w.stateDir, importLocalHosts: [new URL(provider.url).host] });
      onTestFinished(async () => {
        await Promise.all([w.close(), second.close()]);
        await Promise.all([remote.close(), provider.close()]);
      });
      const ada = await w.user('ada');
      const tokens = await provider.issue();
      good = tokens.access_token;
      const auth: AgentAuthIn = { kind: 'oauth2', ...tokens, token_url: provider.tokenUrl, ...OAUTH_CLIENT, expires_in: 3_600 };
      const { name } = await importAgent(ada, { url: kind === 'mcp' ? `${remote.url}/mcp` : remote.url, visibility: 'unlisted', auth });
      const { agent_id } = (await w.ctx.db('agents').where({ name }).first('agent_id')) ?? { agent_id: '' };
      // The token ends now.
      await w.ctx
        .db('agent_connections')
        .where({ agent_id })
        .update({ expires_at: new Date(Date.now() - 1_000) });
      const seen = new Set<string>();
      const there = agentCredentials(second.ctx, agent_id);
      const shownThere = async (): Promise<void> => {
        for (const one of await there.current()) if (one.kind === 'bearer') seen.add(one.token);
      };
      const [skill, args, result] = CALLS[kind];
      const first = shownThere().then(() => {
        good = [...seen][0] ?? '';
      });
      const calls = Array.from({ length: 50 }, async () => {
        await first;
        return w.call(ada, name, skill, args);
      });
      const here = Array.from({ length: 25 }, () => agentCredentials(w.ctx, agent_id).current());
      await Promise.all([first, ...here, ...Array.from({ length: 25 }, shownThere)]);
      for (const out of await Promise.all(calls)) expect(out).toMatchObject({ status: 200, body: result });
      expect(seen.size).toBe(1);
      expect(provider.counts).toEqual({ refreshed: 1, refused: 0 });
      expect(await provider.accepts(good)).toBe(true);
    },
  );

  test('a refresh token that the provider refuses is auth_required, with the way to mend it', async () => {
    const provider = await oauthProvider(3_600);
    const w = await importWorld({ importLocalHosts: [new URL(provider.url).host] });
    onTestFinished(async () => {
      await w.close();
      await provider.close();
    });
    const ada = await w.user('ada');
    const remote = await a2aRemote();
    const other = await importWorld({ importLocalHosts: [hostOf(remote), new URL(provider.url).host], databaseUrl: w.databaseUrl });
    onTestFinished(async () => {
      await other.close();
      await remote.close();
    });
    const eve: TestUser = { ...other.ctx, actor: ada.actor };
    const tokens = await provider.issue();
    await provider.revoke();
    const auth: AgentAuthIn = { kind: 'oidc', ...tokens, token_url: provider.tokenUrl, ...OAUTH_CLIENT, expires_in: 1 };
    const { name } = await importAgent(eve, { url: remote.url, visibility: 'unlisted', auth });
    await other.ctx.db('agent_connections').update({ expires_at: new Date(Date.now() - 1_000) });
    await expect(other.call(eve, name, 'say_it', { text: 'hi' })).rejects.toMatchObject({ code: 'auth_required' });
    expect((await authStatus(eve, { name })).connections).toMatchObject([
      { state: 'auth_required', failure: { code: 'token_refused', message: expect.stringContaining('svc auth oauth-token') } },
    ]);
    // Told once; the provider is not asked with every call.
    await expect(other.call(eve, name, 'say_it', { text: 'hi' })).rejects.toMatchObject({ code: 'auth_required' });
    expect(provider.counts.refused).toBe(1);
  });
});
