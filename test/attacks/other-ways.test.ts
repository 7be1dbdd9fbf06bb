// Ways in that no token of a user opens, walked by the same callers: what running agents ask, an agent's
// source by tokens of git, and the tunnel to a dev box. Mail is judged by who sent it
// (workflows/mail.parts.test.ts), an agent's own address by its ingress (api/ingress/ingress.test.ts,
// visitors.test.ts).
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '#contract/client.ts';
import { sourceEditor } from '#contract/deploys/source-editor.ts';
import { routesOf } from '#contract/inventory.ts';
import { TUNNEL_PATH, TUNNEL_PROTOCOL } from '#contract/identity/dev-box.ts';
import { ensureRun } from '#core/kernel/ensure-run.ts';
import { inTx } from '#core/kernel/tx.ts';
import { callRoute } from '../api/call.ts';
import { createWorld, type World } from '../api/world.ts';
import { runOf } from '../support/runs.ts';
import { accessTokens, attackers, type Attackers } from './attackers.ts';
import { callRunRoute, RUN_ROUTES } from './run-routes.ts';
import { textOf } from './marks.ts';

let world: World;
let them: Attackers;
let name: string;
/** Everybody who must not get in, and what they send. */
let everybody: [string, string | undefined][];
/** Source tokens that are real, and of another repository or over. */
let sourceTokens: Record<string, string>;
/** Of hers. */
let runId: string;

beforeAll(async () => {
  world = await createWorld({ serving: true, accessTokens });
  world.ctx.config.workflowsUrl = WORKFLOWS;
  them = await attackers(world);
  name = world.records['name'] ?? '';
  everybody = [...Object.entries(them.callers).map(([who, { token }]) => [who, token] satisfies [string, string | undefined]), ...Object.entries(them.dead)];
  await world.as('ben').agents.fromSource({ body: { name: 'bens-source' } });
  const make = async (who: 'ada' | 'ben', of: string): Promise<string> => {
    const { token } = await createClient({ baseUrl: world.url, token: world.tokens[who] }).sourceEditor.createToken({
      params: { name: of },
      body: { mode: 'write' },
    });
    return token;
  };
  const { db } = world.ctx;
  const hers = await db('agents').where({ name }).first('agent_id', 'owner_id', 'live_deploy_id');
  const run = runOf(world.ctx, { id: hers?.agent_id ?? '', name, ownerId: hers?.owner_id ?? '', deployId: hers?.live_deploy_id ?? '' }, them.owner.user_id);
  await inTx(run, (ctx) => ensureRun(ctx));
  runId = run.actor.run_id;
  const over = await make('ada', name);
  await world.ctx.db('source_tokens').update({ expires_at: new Date(Date.now() - 1) });
  sourceTokens = { "another tenant's": await make('ben', 'bens-source'), 'of her other agent': await make('ada', them.other.name), 'that is over': over };
});
afterAll(() => world.close());

/** Where operators see all workflows. */
const WORKFLOWS = 'http://workflows.test/list';

const marks = (): string[] => [them.owner.user_id, them.owner.email, them.other.id, WORKFLOWS];

/** Refused as somebody who has no such thing, and nothing of hers is in the answer. */
function expectHidden(who: string, response: Response, text: string): void {
  expect([who, response.status, text]).toEqual([who, expect.toSatisfy((status: number) => [401, 403, 404].includes(status)), text]);
}

describe('what running agents ask', () => {
  test.each(RUN_ROUTES.map((route) => [route.id, route] as const))('%s', async (_, route) => {
    const records = { ...world.records, run_id: runId, account_id: them.owner.user_id };
    for (const [who, token] of [...everybody, ...Object.entries(sourceTokens)]) {
      const response = await callRunRoute(route, { url: world.url, records, token });
      const text = await textOf(response);
      expect([response.status, text], who).not.toEqual([500, expect.anything()]);
      // A run may ask for itself: nothing of hers is in the answer.
      if (!who.startsWith('a run of')) expectHidden(who, response, text);
      expect([who, marks().filter((mark) => response.ok && text.includes(mark))]).toEqual([who, []]);
    }
  });
});

describe('an agent’s source, by tokens of git', () => {
  test.each(routesOf({ sourceEditor }).map((route) => [route.id, route] as const))('%s', async (_, route) => {
    for (const [who, token] of [...everybody, ...Object.entries(sourceTokens)]) {
      const response = await callRoute(world, route, undefined, { token });
      expectHidden(who, response, await textOf(response));
    }
  });
});

test('only operators see where the workflows are', async () => {
  const asked = (who: 'ada' | 'operator') => createClient({ baseUrl: world.url, token: world.tokens[who] }).installation.get();
  expect((await asked('operator')).workflows_url).toBe(WORKFLOWS);
  expect((await asked('ada')).workflows_url).toBeNull();
});

describe('git over HTTP', () => {
  const asked: [string, string][] = [
    ['GET', 'info/refs?service=git-upload-pack'],
    ['GET', 'info/refs?service=git-receive-pack'],
    ['POST', 'git-upload-pack'],
    ['POST', 'git-receive-pack'],
    ['GET', 'HEAD'],
    ['GET', 'objects/info/packs'],
  ];
  test.each(asked)('%s %s', async (method, path) => {
    const status = async (authorization: string | undefined) => {
      const headers = authorization === undefined ? {} : { authorization };
      const response = await fetch(`${world.url}/git/${name}.git/${path}`, { method, headers, ...(method === 'POST' ? { body: '0000' } : {}) });
      const text = await response.text();
      expect(marks().filter((mark) => text.includes(mark))).toEqual([]);
      return response.status;
    };
    for (const [who, token] of everybody) {
      const basic = token === undefined ? undefined : `Basic ${Buffer.from(`x:${token}`).toString('base64')}`;
      expect([who, await status(basic), await status(token && `Bearer ${token}`)]).toEqual([who, 401, 401]);
    }
    for (const [who, token] of Object.entries(sourceTokens)) {
      const expected = { "another tenant's": 404, 'of her other agent': 403, 'that is over': 401 }[who];
      expect([who, await status(`Basic ${Buffer.from(`x:${token}`).toString('base64')}`)]).toEqual([who, expected]);
    }
  });
});

test('the tunnel to a dev box', async () => {
  const opened = (token: string | undefined): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = {
        connection: 'upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
        'sec-websocket-protocol': TUNNEL_PROTOCOL,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      };
      request(world.url + TUNNEL_PATH.replace('{name}', name), { headers })
        .once('upgrade', () => resolve(101))
        .once('response', (response) => resolve(response.resume().statusCode ?? 0))
        .once('error', reject)
        .end();
    });
  for (const [who, token] of [...everybody, ...Object.entries(sourceTokens)]) expect([who, await opened(token)]).toEqual([who, 401]);
});
