// Every way in × every resolver: who calls reaches the skill, by the platform's word, and the platform's own
// credentials never do.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AGENT_SESSION_COOKIE } from '#api/ingress/session.ts';
import { newId } from '#core/kernel/ids.ts';
import { hashSecret } from '#core/kernel/secret.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  Agent,
  APIKeyAuth,
  APIKeyAuthResolver,
  AuthError,
  type AuthRequest,
  JWTAuth,
  PlatformUserAuth,
  PlatformUserAuthResolver,
  RemoteBearerAuthResolver,
  skill,
  StaticAuthResolver,
} from '#sdk/typescript/index.ts';
import { startAgent } from '#sdk/typescript/runtime.ts';
import { RESOLVERS, type ResolverName as Kind, WAYS, type WayName } from '../../docs/callers.ts';
import { cites } from '../spec/verifies.ts';
import type { TestUser } from '../support/context.ts';
import type { LiveAgent } from '../support/runs.ts';
import { KEY, openWorld, saying, type Answer, type World } from './world.ts';

abstract class Asked extends Agent {
  override name = 'asked';
  override description = 'Says who calls it';
  override version = '1.0.0';
  who = skill({}, async ({ auth, caller }) => saying({ auth, caller: caller && { ...caller } }));
  admin = skill({ scopes: ['admin'] }, async ({ auth, caller }) => saying({ auth, caller: caller && { ...caller } }));
}

const bearers: (string | undefined)[] = [];
let service: Server;
let w: World;
let ada: TestUser;
let ben: TestUser;
const agents = new Map<string, LiveAgent>();

function make(kind: Kind, remote: string): new () => Asked {
  switch (kind) {
    case 'none':
      return class extends Asked {};
    case 'model':
      return class extends Asked {
        override authModel = PlatformUserAuth;
      };
    case 'people':
      return class extends Asked {
        override authModel = PlatformUserAuth;
        override authResolver = new PlatformUserAuthResolver();
      };
    case 'fixed':
      return class extends Asked {
        override authModel = JWTAuth;
        override authResolver = new StaticAuthResolver({ sub: 'fixed' });
      };
    case 'key':
      return class extends Asked {
        override authModel = APIKeyAuth;
        override authResolver = new APIKeyAuthResolver({ acceptedKey: 'theirs' });
      };
    case 'remote':
      return class extends Asked {
        override authModel = JWTAuth;
        override authResolver = new RemoteBearerAuthResolver({ url: remote, allowHosts: [new URL(remote).host] });
      };
    case 'author':
      return class extends Asked {
        override authModel = JWTAuth;
        override authResolver = {
          resolve({ bearer }: AuthRequest) {
            bearers.push(bearer);
            if (bearer !== 'theirs') throw new AuthError('send your token');
            return { sub: 'theirs' };
          },
        };
      };
  }
}

beforeAll(async () => {
  w = await openWorld();
  [ada, ben] = [await w.t.user('ada'), await w.t.user('ben')];
  service = createServer((request, response) => {
    bearers.push(request.headers.authorization);
    response.writeHead(request.headers.authorization === 'Bearer theirs' ? 200 : 401, { 'content-type': 'application/json' }).end('{"sub":"theirs"}');
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const { port } = service.address() as AddressInfo; // it listens on a port
  for (const kind of Object.keys(RESOLVERS) as Kind[])
    agents.set(kind, await w.serve(ada, (listen) => startAgent(make(kind, `http://127.0.0.1:${port}/`), { apiKey: KEY, listen, onLog: () => undefined })));
});
afterAll(async () => {
  await w.close();
  service.close();
});

const at = (kind: Kind): LiveAgent => agents.get(kind) ?? expect.fail(`no agent ${kind}`);
const numberOf = async (user: TestUser): Promise<unknown> => (await w.t.ctx.db('users').where({ user_id: user.actor.user_id }).first())?.account_number;

async function toldOf(user: TestUser, scopes: string[]): Promise<Record<string, unknown>> {
  return { sub: user.actor.user_id, userId: await numberOf(user), email: user.actor.email, orgId: null, orgSlug: null, scopes };
}

/** What ctx.auth is, where the platform's word is all that there is. */
function authOf(kind: Kind, told: Record<string, unknown>): Record<string, unknown> {
  if (kind === 'none') return {};
  if (kind === 'fixed') return { sub: 'fixed', orgId: null, email: null, scopes: [] };
  if (kind === 'key') return { apiKeyId: told['sub'], scopes: told['scopes'] };
  if (kind === 'model' || kind === 'people') return told;
  const { userId: _, orgSlug: __, ...jwt } = told;
  return jwt;
}

describe.for(Object.keys(WAYS) as WayName[])('by %s', (way) => {
  test.for(Object.keys(RESOLVERS) as Kind[])('with the resolver "%s" the owner is known, with all scopes', cites('auth.resolvers'), async (kind) => {
    const told = await toldOf(ada, ['admin']);
    for (const name of ['who', 'admin']) {
      const { seen, status, text } = await w.ways[way]({ by: ada, agent: at(kind), skill: name });
      expect(status, text).toBe(200);
      expect(seen, text).toEqual({ auth: authOf(kind, told), caller: { ...told, kind: 'user', trusted: true, agent: null, onBehalfOf: null } });
      expect(Number.isSafeInteger(seen?.caller?.['userId'])).toBe(true);
    }
  });

  test.for(Object.keys(RESOLVERS) as Kind[])(
    'with the resolver "%s" another account is known, without scopes, and never passes for its credentials',
    async (kind) => {
      const told = await toldOf(ben, []);
      const answer = await w.ways[way]({ by: ben, agent: at(kind), skill: 'who' });
      if (RESOLVERS[kind].other === 'own') expect(refusedBy(answer)).toBe(true);
      else
        expect(answer.seen, answer.text).toEqual({
          auth: authOf(kind, told),
          caller: { ...told, kind: 'user', trusted: false, agent: null, onBehalfOf: null },
        });
      expect(refusedBy(await w.ways[way]({ by: ben, agent: at(kind), skill: 'admin' })), 'admin').toBe(true);
    },
  );
});

/** Whatever words its protocol has for that. */
function refusedBy({ seen, text }: Answer): boolean {
  return seen === undefined && /401|403|auth_error|missing_scopes|scope|token|API key|unauthor/i.test(text);
}

test.for((Object.keys(WAYS) as WayName[]).filter((way) => WAYS[way].own))(
  'by %s resolvers get the credential that the caller sent to the agent, and only that',
  cites('auth.resolvers'),
  async (way) => {
    const theirs = { authorization: 'Bearer theirs' };
    for (const kind of ['key', 'remote', 'author'] as const) {
      const { seen, text } = await w.ways[way]({ agent: at(kind), skill: 'who', headers: theirs });
      expect(seen, text).toMatchObject({ auth: kind === 'key' ? { apiKeyId: 'configured' } : { sub: 'theirs' }, caller: null });
      expect((await w.ways[way]({ agent: at(kind), skill: 'who', headers: { authorization: 'Bearer wrong' } })).seen).toBeUndefined();
      expect((await w.ways[way]({ agent: at(kind), skill: 'who' })).seen).toBeUndefined();
    }
  },
);

test('who sends the agent a credential, even of another kind, is not let in by the platform’s word instead', async () => {
  const visit = { ...(await sessionOf(ada, at('author'))), authorization: 'Basic eDp5' };
  expect((await w.ways.host({ agent: at('author'), skill: 'who', headers: visit })).status).toBe(401);
  const { authorization: _, ...session } = visit;
  expect((await w.ways.host({ agent: at('author'), skill: 'who', headers: session })).seen?.caller).toMatchObject({ sub: ada.actor.user_id, trusted: true });
});

/** Headers of a page of the agent's origin, where they have signed in. */
async function sessionOf(user: TestUser, agent: LiveAgent): Promise<Record<string, string>> {
  const secret = `svc_${newId('tok')}`;
  await w.t.ctx.db('platform_tokens').insert({
    token_id: newId('tok'), token_hash: hashSecret(secret), kind: 'agent_session', agent_id: agent.id, user_id: user.actor.user_id, label: 'a visit',
    expires_at: new Date(Date.now() + 60_000),
  }); // prettier-ignore
  return { cookie: `${AGENT_SESSION_COOKIE}=${secret}`, origin: `http://${agent.name}.${w.t.ctx.config.agentsDomain}`, 'sec-fetch-site': 'same-origin' };
}

test('no resolver was ever shown a credential of the platform', () => {
  expect(bearers.length).toBeGreaterThan(20);
  expect(new Set(bearers.map((one) => one?.replace('Bearer ', '')))).toEqual(new Set([undefined, 'theirs', 'wrong']));
});
