// What an agent serves beside skills: who opens a page, reads a file or holds a connection is told by the
// same word.
import { createServer, type IncomingHttpHeaders, request as plain, type Server } from 'node:http';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AGENT_SESSION_COOKIE } from '#api/ingress/session.ts';
import { readCaller } from '#contract/crypto/caller-token.ts';
import { HEADER } from '#contract/wire/headers.ts';
import { getMe } from '#core/identity/user/get.ts';
import { newId } from '#core/kernel/ids.ts';
import { hashSecret } from '#core/kernel/secret.ts';
import { socketOf } from '../support/agent-socket.ts';
import type { TestUser } from '../support/context.ts';
import { liveAgent, type LiveAgent } from '../support/runs.ts';
import { KEY, openWorld, type World } from './world.ts';

let w: World;
let ada: TestUser;
let ben: TestUser;
let agent: LiveAgent;
let server: Server;

beforeAll(async () => {
  w = await openWorld();
  [ada, ben] = [await w.t.user('ada'), await w.t.user('ben')];
  agent = await liveAgent(w.t.ctx, ada.actor.user_id, { visibility: 'public' });
  const path = socketOf(w.t.ctx.drivers.runtime.address(agent.instanceId));
  await mkdir(dirname(path), { recursive: true });
  server = createServer((asked, response) => response.end(JSON.stringify(asked.headers)));
  server.on('upgrade', (asked: { headers: IncomingHttpHeaders }, socket) =>
    socket.end(`HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\nx-seen: ${String(asked.headers[HEADER.caller])}\r\n\r\n`),
  );
  await new Promise<void>((resolve) => server.listen(path, resolve));
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await w.close();
});

const callerIn = (token: unknown) => readCaller(String(token), KEY, { run: null, now: Date.now() / 1000 });

async function opened(headers: Record<string, string>): Promise<IncomingHttpHeaders> {
  const { body } = await request(`${w.url}/report`, { headers: { ...headers, host: `${agent.name}.${w.t.ctx.config.agentsDomain}` } });
  return (await body.json()) as IncomingHttpHeaders;
}

test('by a token, by the session of the origin, by nobody', async () => {
  const byToken = await opened({ authorization: `Bearer ${await w.token(ada)}` });
  expect(callerIn(byToken[HEADER.caller])).toMatchObject({ kind: 'user', sub: ada.actor.user_id, email: ada.actor.email, trusted: true });
  expect(byToken).toMatchObject({ [HEADER.userId]: ada.actor.user_id, [HEADER.userEmail]: ada.actor.email, authorization: `Bearer ${KEY}` });
  const secret = `svc_${newId('tok')}`;
  await w.t.ctx.db('platform_tokens').insert({
    token_id: newId('tok'), token_hash: hashSecret(secret), kind: 'agent_session', agent_id: agent.id, user_id: ben.actor.user_id, label: 'a visit',
    expires_at: new Date(Date.now() + 60_000),
  }); // prettier-ignore
  const bySession = await opened({ cookie: `${AGENT_SESSION_COOKIE}=${secret}` });
  expect(callerIn(bySession[HEADER.caller])).toMatchObject({ kind: 'user', sub: ben.actor.user_id, scopes: [], trusted: false });
  // Said once each: two of one name are read as one, joined.
  expect(bySession[HEADER.userId]).toBe(ben.actor.user_id);
  expect(JSON.stringify(bySession)).not.toContain(secret);
  // The same by the session that the agent is given, where it asks itself.
  const { user_id, email } = ben.actor;
  const asked = await getMe({ ...w.t.ctx, actor: { kind: 'agent_session', token_id: 'tok', agent_id: agent.id, user_id, email, held_by: 'agent' } });
  const caller = callerIn(bySession[HEADER.caller]);
  expect(asked).toMatchObject({ sub: user_id, account_number: caller?.user_id, email, org_id: null, org_slug: null, scopes: [], operator: false });
  const byNobody = await opened({});
  expect(Object.keys(byNobody).filter((name) => name.startsWith('x-svc-'))).toEqual([]);
});

test('a connection that is taken over', async () => {
  const headers = { authorization: `Bearer ${await w.token(ada)}`, host: `${agent.name}.${w.t.ctx.config.agentsDomain}`, [HEADER.caller]: 'forged' };
  const seen = await new Promise<unknown>((resolve, reject) => {
    const asked = plain(w.url, {
      headers: { ...headers, connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==' },
    });
    asked.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve(response.headers['x-seen']);
    });
    asked.on('response', (response) => reject(new Error(`answered ${response.statusCode}`)));
    asked.on('error', reject);
    asked.end();
  });
  expect(callerIn(seen)).toMatchObject({ sub: ada.actor.user_id });
});
