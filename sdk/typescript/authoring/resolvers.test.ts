// Every resolver of the specification, against real servers on this machine.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { serve } from '../test/serve.ts';
import { Agent } from './agent.ts';
import { APIKeyAuth, JWTAuth, PlatformUserAuth, type AuthRequest, type AuthResolver } from './auth.ts';
import type { Caller } from './caller.ts';
import { AuthError } from './errors.ts';
import { PlatformUserAuthResolver } from './platform-user.ts';
import { OIDCUserInfoAuthResolver, RemoteBearerAuthResolver, type RemoteAuthOptions } from './remote-resolvers.ts';
import { APIKeyAuthResolver, NoAuthResolver, StaticAuthResolver } from './resolvers.ts';
import { safeFetch, UnsafeRequest } from './safe-fetch.ts';
import { skill } from './skill.ts';
import { cites } from '../../../test/spec/verifies.ts';

interface Asked {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingMessage['headers'];
  body: string;
}

async function service(answer: (res: ServerResponse, asked: Asked) => void): Promise<{ host: string; url: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer((req, res) => {
    void text(req).then((body) => {
      const one = { method: req.method, url: req.url, headers: req.headers, body };
      asked.push(one);
      answer(res, one);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  const address = server.address();
  const host = `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  return { host, url: `http://${host}/me`, asked };
}

const says =
  (value: unknown, status = 200) =>
  (res: ServerResponse) =>
    void res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
const request = (bearer?: string, more: Partial<AuthRequest> = {}): AuthRequest => ({ headers: {}, bearer, local: false, ...more });
const outcome = async (resolver: AuthResolver, asking: AuthRequest): Promise<unknown> => {
  try {
    return await resolver.resolve(asking);
  } catch (error) {
    return error instanceof AuthError ? error.status : error;
  }
};

describe('resolvers without requests', () => {
  it('APIKeyAuthResolver requires the configured bearer value; the principal id is a short prefix of the key id', cites('auth.resolvers'), async () => {
    for (const none of [new APIKeyAuthResolver(), new APIKeyAuthResolver({})])
      expect(() => none.resolve({ headers: {}, bearer: 'k1', local: true })).toThrow('not accepted');
    const resolver = new APIKeyAuthResolver({ acceptedKey: 'k1', apiKeyId: 'a-very-long-identifier', scopes: ['read'] });
    expect(await outcome(resolver, request('k1'))).toEqual({ apiKeyId: 'a-very-long-', scopes: ['read'] });
    expect(await outcome(resolver, request('k2'))).toBe(401);
    expect(await outcome(resolver, request())).toBe(401);
    expect(await outcome(new APIKeyAuthResolver({ acceptedKey: null }), request('k1'))).toBe(401);
    expect(await outcome(new APIKeyAuthResolver({ acceptedKey: 'k' }), request('k'))).toEqual({ apiKeyId: 'configured', scopes: [] });
  });

  it('NoAuthResolver is always NoAuth, StaticAuthResolver always its one principal', cites('auth.resolvers'), async () => {
    expect(await outcome(new NoAuthResolver(), request('x'))).toEqual({});
    expect(await outcome(new StaticAuthResolver({ sub: 'me' }), request())).toEqual({ sub: 'me' });
  });
});

describe.each([
  ['OIDCUserInfoAuthResolver', OIDCUserInfoAuthResolver],
  ['RemoteBearerAuthResolver', RemoteBearerAuthResolver],
])('%s', (_, Resolver) => {
  const resolver = ({ host, url }: { host: string; url: string }, options: Partial<RemoteAuthOptions> = {}) =>
    new Resolver({ url, allowHosts: [host], ...options });

  it('calls the external API with the token and maps the answer by the default fields', cites('auth.resolvers'), async () => {
    const remote = await service(says({ active: true, sub: 'u1', email: 'ada@example.com', org_id: 'o1', scope: 'read write' }));
    expect(await outcome(resolver(remote), request('the-token'))).toEqual({ sub: 'u1', email: 'ada@example.com', orgId: 'o1', scopes: ['read', 'write'] });
    expect(remote.asked[0]).toMatchObject({ method: 'GET', url: '/me', headers: { authorization: 'Bearer the-token' }, body: '' });
  });

  it('maps by fields of its own, posts the token for introspection, and reads another header', cites('auth.resolvers'), async () => {
    const remote = await service(says({ user: { id: 7, mail: 'a@b.c' }, org: 'o', perms: ['x'], plan: 'pro', on: true }));
    const options = {
      method: 'POST',
      tokenHeader: 'x-token',
      tokenPrefix: '',
      activeField: 'on',
      subjectField: 'user.id',
      emailField: 'user.mail',
      orgField: 'org',
      scopesField: 'perms',
      extraFields: { plan: 'plan' },
    } as const;
    expect(await outcome(resolver(remote, options), request(undefined, { headers: { 'x-token': 't&1' } }))).toEqual({
      sub: '7',
      email: 'a@b.c',
      orgId: 'o',
      scopes: ['x'],
      plan: 'pro',
    });
    expect(remote.asked[0]).toMatchObject({ method: 'POST', headers: { 'x-token': 't&1' }, body: 'token=t%261' });
  });

  it('takes the email for the principal id where there is no subject, and refuses an answer with neither', async () => {
    expect(await outcome(resolver(await service(says({ email: 'a@b.c' }))), request('t'))).toMatchObject({ sub: 'a@b.c', scopes: [] });
    expect(await outcome(resolver(await service(says({ name: 'Ada' }))), request('t'))).toBe(401);
  });

  it('shapes the answer by auth_model', async () => {
    const remote = await service(says({ sub: 'u1' }));
    expect(await outcome(resolver(remote, { authModel: JWTAuth }), request('t'))).toEqual({ sub: 'u1', orgId: null, email: null, scopes: [] });
    expect(await outcome(resolver(remote, { authModel: z.object({ plan: z.string() }) }), request('t'))).toBe(401);
  });

  it.each([
    ['no token', undefined, says({ sub: 'u' }), 401],
    ['an inactive token', 't', says({ active: false, sub: 'u' }), 401],
    ['401', 't', says({}, 401), 401],
    ['404', 't', says({}, 404), 401],
    ['500', 't', says({}, 500), 503],
    ['no JSON', 't', (res: ServerResponse) => void res.end('<html>'), 503],
    ['a list', 't', says([1]), 503],
    ['a redirect', 't', (res: ServerResponse) => void res.writeHead(302, { location: 'http://169.254.169.254/' }).end(), 503],
    ['too long an answer', 't', (res: ServerResponse) => void res.end(JSON.stringify({ sub: 'x'.repeat(70_000) })), 503],
  ])('%s is refused', cites('auth.401'), async (_name, token, answer, status) => {
    expect(await outcome(resolver(await service(answer)), request(token))).toBe(status);
  });

  it('gives up after its timeout', cites('auth.timeout'), async () => {
    const remote = await service(() => {});
    expect(await outcome(resolver(remote, { timeoutSeconds: 0.05 }), request('t'))).toBe(503);
  });

  it('asks once for a token it has just asked about, and never keeps a refusal', async () => {
    let status = 200;
    const remote = await service((res) => says({ sub: 'u' }, status)(res));
    const asking = resolver(remote);
    await Promise.all([outcome(asking, request('t')), outcome(asking, request('t'))]);
    expect(remote.asked).toHaveLength(1);
    status = 401;
    expect(await outcome(asking, request('t'))).toMatchObject({ sub: 'u' });
    expect(await outcome(asking, request('other'))).toBe(401);
    expect(await outcome(asking, request('other'))).toBe(401);
    expect(remote.asked).toHaveLength(3);
  });

  it('never asks an address inside the network, unless it was listed', async () => {
    for (const url of [
      'https://127.0.0.1/',
      'https://169.254.169.254/',
      'https://[::1]/',
      'https://2130706433/',
      'https://localhost/',
      'http://example.com/',
    ]) {
      expect(await outcome(new Resolver({ url }), request('t'))).toBe(503);
    }
  });
});

describe('requests to configured addresses', () => {
  it.each([
    'https://user:secret@example.com/',
    'file:///etc/passwd',
    'https://0x7f.1/',
    'https://[::ffff:127.0.0.1]/',
    'https://017700000001/',
    'https://foo.localhost/',
  ])('refuse %s before anything is sent', async (url) => {
    await expect((async () => await safeFetch(url))()).rejects.toBeInstanceOf(UnsafeRequest);
  });
});

describe('PlatformUserAuthResolver', () => {
  const me = {
    user_id: 'usr_1', email: 'ada@example.com', name: 'Ada', operator: false, sub: 'usr_1', account_number: 7, org_id: 'org_1', org_slug: 'acme', scopes: ['admin'],
  }; // prettier-ignore
  const cookie = (value: string, name = 'svc_session') => ({ headers: { cookie: `a=1; ${name}=${value}; b=2` } });

  it('verifies the session cookie against {SVC_CP_URL}/v1/me', cites('auth.resolvers'), async () => {
    const platform = await service((res, { headers }) => says(me, headers.cookie === 'svc_session=tok' ? 200 : 401)(res));
    const resolver = new PlatformUserAuthResolver({ controlPlaneUrl: `http://${platform.host}` });
    expect(PlatformUserAuth.parse(await outcome(resolver, request(undefined, cookie('tok'))))).toEqual({
      sub: 'usr_1',
      userId: 7,
      email: 'ada@example.com',
      orgId: 'org_1',
      orgSlug: 'acme',
      scopes: ['admin'],
    });
    expect(platform.asked[0]?.url).toBe('/v1/me');
    expect(await outcome(resolver, request(undefined, cookie('other')))).toBe(401);
    expect(await outcome(resolver, request())).toBe(401);
    expect(await outcome(resolver, request('tok'))).toBe(401);
    expect(await outcome(resolver, request(undefined, cookie('tok; x')))).toMatchObject({ sub: 'usr_1' });
    const named = new PlatformUserAuthResolver({ controlPlaneUrl: `http://${platform.host}`, cookieName: 'mine' });
    expect(await outcome(named, request(undefined, cookie('tok', 'mine')))).toMatchObject({ sub: 'usr_1' });
  });

  it('answers 503 while the platform does not', async () => {
    const resolver = new PlatformUserAuthResolver({ controlPlaneUrl: `http://${(await service(says({}, 500))).host}` });
    expect(await outcome(resolver, request(undefined, cookie('tok')))).toBe(503);
  });

  it('trusts identity headers only when told to', cites('auth.resolvers'), async () => {
    const caller: Caller = {
      kind: 'user', sub: 'usr_1', userId: 7, email: 'a@b.c', orgId: null, orgSlug: null, scopes: ['read'], trusted: false, agent: null, onBehalfOf: null,
    }; // prettier-ignore
    const principal = await outcome(new PlatformUserAuthResolver({ controlPlaneUrl: 'http://127.0.0.1:9' }), { ...request(), caller });
    expect(PlatformUserAuth.parse(principal)).toEqual({ sub: 'usr_1', userId: 7, email: 'a@b.c', orgId: null, orgSlug: null, scopes: ['read'] });
    const ours = { 'x-svc-user-id': 'usr_1', 'x-svc-user-sub': 'usr_1', 'x-svc-user-number': '7' };
    expect(await outcome(new PlatformUserAuthResolver({ trustHeaders: true }), request(undefined, { headers: ours }))).toMatchObject({
      sub: 'usr_1',
      userId: 7,
    });
    const headers = { 'x-svc-user-id': '7', 'x-svc-user-email': 'a@b.c', 'x-svc-org-slug': 'acme', 'x-svc-user-scopes': 'read write' };
    const trusting = new PlatformUserAuthResolver({ trustHeaders: true, controlPlaneUrl: 'http://127.0.0.1:9' });
    expect(await outcome(trusting, request(undefined, { headers }))).toEqual({
      sub: '7',
      userId: 7,
      email: 'a@b.c',
      orgId: null,
      orgSlug: 'acme',
      scopes: ['read', 'write'],
    });
    expect(await outcome(new PlatformUserAuthResolver({ controlPlaneUrl: 'http://127.0.0.1:9' }), request(undefined, { headers }))).toBe(401);
  });

  it('takes a caller of this machine for the developer, without a platform, unless that is disabled', async () => {
    expect(await outcome(new PlatformUserAuthResolver({ controlPlaneUrl: '' }), request(undefined, { local: true }))).toMatchObject({ sub: 'local-dev' });
    expect(await outcome(new PlatformUserAuthResolver({ controlPlaneUrl: '' }), request())).toBe(401);
    expect(await outcome(new PlatformUserAuthResolver({ controlPlaneUrl: '', allowLocalDev: false }), request(undefined, { local: true }))).toBe(401);
    expect(await outcome(new PlatformUserAuthResolver({ controlPlaneUrl: 'http://127.0.0.1:9' }), request(undefined, { local: true }))).toBe(401);
  });
});

it('an agent with a remote resolver enforces its scopes before the handler, and never logs the token', cites('run.scopes'), async () => {
  const remote = await service(says({ sub: 'u1', scope: 'read' }));
  class Guarded extends Agent {
    name = 'guarded';
    description = 'For tests.';
    version = '1.0.0';
    override authModel = JWTAuth;
    override authResolver = new RemoteBearerAuthResolver({ url: remote.url, allowHosts: [remote.host], authModel: JWTAuth });
    read = skill({ scopes: ['read'] }, async (ctx) => ctx.authAs(JWTAuth).sub);
    write = skill({ scopes: ['write'] }, async () => 'written');
  }
  const agent = await serve(Guarded);
  const headers = { authorization: 'Bearer hunter22-token' };
  expect(await (await agent.post('/invoke/read', {}, { headers })).json()).toBe('u1');
  expect((await agent.refusal('/invoke/write', {}, { headers })).detail).toMatchObject({ code: 'missing_scopes', missing_scopes: ['write'] });
  expect((await agent.refusal('/invoke/read', {})).status).toBe(401);
  expect(JSON.stringify(agent.log)).not.toContain('hunter22');
  expect(APIKeyAuth.safeParse({}).success).toBe(false);
});
