// Serves any contract on a free port, strictly, with a database of its own: for the kernel's tests.
import { Writable } from 'node:stream';
import type { Knex } from 'knex';
import { clientOf, type Client } from '#contract/client.ts';
import type { Group, Limiter } from '#contract/kit.ts';
import type { Actor } from '#core/kernel/ctx.ts';
import { followers } from '#core/followers.ts';
import type { Drivers } from '#core/kernel/drivers.ts';
import { Unauthorized } from '#core/kernel/errors.ts';
import { createPool } from '#db/pool.ts';
import { testDatabase } from '#test/support/servers.ts';
import { createApp, type AppOptions } from '../../app.ts';
import { createApiServer, type ServerOptions } from '../../server.ts';
import type { Authenticate } from '../deps.ts';
import type { ContractHandlers } from '../handlers.ts';
import { createLogger } from '../log.ts';
import { BUDGETS, createRateLimits, type Budget } from '../rate-limit.ts';

/** Who each test token is. */
export const TEST_ACTORS: Record<string, Actor> = {
  ada: { kind: 'user', user_id: 'usr_ada', email: 'ada@svc.local', operator: false, via: 'bearer' },
  ben: { kind: 'user', user_id: 'usr_ben', email: 'ben@svc.local', operator: false, via: 'bearer' },
  operator: { kind: 'user', user_id: 'usr_op', email: 'operator@svc.local', operator: true, via: 'bearer' },
  platform: { kind: 'platform', service: 'test' },
  agent: { kind: 'api_token', token_id: 'tok_1', agent_id: 'agt_1', owner_id: 'usr_ada' },
  scoped: { kind: 'api_token', token_id: 'tok_2', agent_id: 'agt_1', owner_id: 'usr_ada', skills: ['greet'] },
  stranger: { kind: 'api_token', token_id: 'tok_3', agent_id: 'agt_2', owner_id: 'usr_ada' },
};

const authenticate: Authenticate = async ({ authorization, cookies, integrationToken }) => {
  const token = authorization?.replace(/^Bearer /, '') ?? integrationToken ?? cookies['__Host-svc_session'];
  const actor = token === undefined ? { kind: 'anonymous' as const } : TEST_ACTORS[token];
  if (!actor) throw new Unauthorized('token_invalid', 'sign in again');
  return actor;
};

export interface TestApi<C extends Record<string, Group>> {
  url: string;
  db: Knex;
  as(token?: string): Client<C>;
  /** Log lines so far. */
  logs: string[];
  stopping: AbortController;
  close(): Promise<void>;
}

type Over = Partial<AppOptions> & { budgets?: Partial<Record<Limiter, Budget>> } & Pick<ServerOptions, 'fronts' | 'upgrades'>;

export async function serveForTest<C extends Record<string, Group>>(contract: C, handlers: ContractHandlers<C>, over: Over = {}): Promise<TestApi<C>> {
  const db = createPool({ connectionString: (await testDatabase()).url, max: 4 });
  const logs: string[] = [];
  const sink = new Writable({ write: (chunk: Buffer, _encoding, done) => (logs.push(chunk.toString()), done()) });
  const stopping = new AbortController();
  const app = createApp(contract, handlers, {
    config: { baseUrl: 'http://localhost:8080', agentsDomain: 'localhost:8080' },
    db,
    drivers: noDrivers(),
    followers,
    clock: Date.now,
    authenticate,
    limits: createRateLimits(db, { ...BUDGETS, ...over.budgets }),
    log: createLogger('info', sink),
    strict: true,
    shutdown: stopping.signal,
    ...over,
  });
  const server = createApiServer({ ...over, api: app.callback(), stopping, graceMs: 2_000 });
  const url = await server.listen(0, '127.0.0.1');
  return {
    url,
    db,
    as: (token) => clientOf(contract, { baseUrl: url, token }),
    logs,
    stopping,
    async close() {
      await server.close();
      await db.destroy();
    },
  };
}

// Safe: the kernel hands drivers through and never touches them; a handler that did would fail loudly.
function noDrivers(): Drivers {
  return {} as Drivers;
}
