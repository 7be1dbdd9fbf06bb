// Ways in that are no routes of the public contract, walked by the same callers: what running agents, editors and git ask, and the tunnel to a dev box.
// Mail is judged by who sent it (workflows/mail.parts.test.ts), an agent's own address by its ingress (api/ingress/ingress.test.ts, visitors.test.ts).
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { besideClient } from '#contract/beside-client.ts';
import { clientOf } from '#contract/client.ts';
import { sourceEditor } from '#contract/agents/source-editor.ts';
import { TUNNEL_PATH, TUNNEL_PROTOCOL } from '#contract/agents/dev-box.ts';
import { routesOf } from '#contract/inventory.ts';
import { isSchema, locate } from '#contract/kit.ts';
import { pathOf } from '#contract/route-table.ts';
import { sample } from '#contract/sample.ts';
import { internal } from '#api/handlers.ts';
import { ensureRun } from '#core/kernel/ensure-run.ts';
import { inTx } from '#core/kernel/tx.ts';
import { createWorld, type World } from '../api/world.ts';
import { runOf } from '../support/runs.ts';
import { accessTokens, attackers, type Attackers } from './attackers.ts';

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
    const { token } = await clientOf({ sourceEditor }, { baseUrl: world.url, token: world.tokens[who] }).sourceEditor.createToken({
      params: { name: of },
      body: { mode: 'write' },
    });
    return token;
  };
  const { db } = world.ctx;
  const hers = await db('agents').where({ name }).first('agent_id', 'owner_id', 'live_deploy_id');
  const run = runOf(world.ctx, { id: hers?.agent_id ?? '', name, ownerId: hers?.owner_id ?? '', deployId: hers?.live_deploy_id ?? '' }, them.owner.user_id);
  await inTx(run, (tx, inner) => ensureRun(tx, inner));
  runId = run.actor.run_id;
  const over = await make('ada', name);
  await world.ctx.db('source_tokens').update({ expires_at: new Date(Date.now() - 1) });
  sourceTokens = { "another tenant's": await make('ben', 'bens-source'), 'of her other agent': await make('ada', them.other.name), 'that is over': over };
}, 120_000);
afterAll(() => world.close());

/** Valid bodies where none can be made of the schema. */
const BODIES: Record<string, object> = {
  'approvals.setPolicy': { rules: [] },
  'approvals.delegate': { to: 'ben@example.com', ends_at: '2100-01-01T00:00:00Z' },
  'organizationSettings.accept': { token: `mem_${'0'.repeat(36)}.${'A'.repeat(43)}` },
  'sourceEditor.save': { message: 'Mine now', changes: [{ path: 'agent.ts', content: 'x', blob: null }] },
  'folders.move': { from: 'drafts/', to: 'mine/' },
  'prices.put': { call_micros: 20_000 },
  'sourceEditor.deploy': { commit: 'a'.repeat(40) },
  'studioGuests.create': { name: 'watch', goal: 'Alert me when the website is down', inputs: { url: 'https://harbour.example.org/' } },
};

/** What a route requires in headers. */
const HEADERS: Record<string, Record<string, string>> = {
  'fileUploads.create': { 'upload-length': '3', 'upload-metadata': `path ${Buffer.from('mine.txt').toString('base64')}` },
  'fileUploads.append': { 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
};

/** They answer about the account that asks, whoever's the names in the path are. */
const OF_THE_CALLER = [
  'accountEvents.stream',
  'charges.list',
  'evaluations.consents',
  'evaluations.withdrawConsent',
  'fileUploads.create',
  'fileUploads.list',
  'inbox.waits',
  'organizationSettings.accept',
  'organizationSettings.joinable',
  'inbox.notifications',
  'inbox.setNotifications',
  'policyDenials.list',
  'policyRules.get',
  'policyRules.put',
  'policyRules.test',
  'policyRules.decisions',
  'schedulePreviews.show',
  'signIns.endOthers',
  'signIns.list',
  'studioRuns.list',
  'topUps.list',
];
/** Everybody may ask; what operators alone see is not among it for others. A guest run is of who has its token. */
const OF_EVERYBODY = ['agentUptime.get', 'installation.get', 'studioGuests.create', 'studioGuests.get'];

/** Where operators see all workflows. */
const WORKFLOWS = 'http://workflows.test/list';

const marks = (): string[] => [them.owner.user_id, them.owner.email, them.other.id, WORKFLOWS];

describe('what running agents, editors and git ask', () => {
  const operations = routesOf(internal.contract).map((route) => [route.id, route] as const);
  test.each(operations)('%s', async (id, { spec }) => {
    const { method } = locate(spec);
    const names = Object.keys(spec.params?._zod.def.shape ?? {});
    const known: Record<string, string> = { ...world.records, run_id: runId, account_id: them.owner.user_id };
    const params = Object.fromEntries(names.map((one) => [one, known[`${id}.${one}`] ?? known[one] ?? 'x']));
    const query = spec.query ? Object(sample(spec.query)) : {};
    const body = spec.body && isSchema(spec.body) ? JSON.stringify(BODIES[id] ?? sample(spec.body)) : undefined;
    const callers = [...everybody, ...Object.entries(sourceTokens)];
    for (const [who, token] of callers) {
      const headers = {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...HEADERS[id],
      };
      const response = await fetch(world.url + pathOf(spec, { params, query }), { method, headers, ...(body === undefined ? {} : { body }) });
      const text = response.headers.get('content-type')?.startsWith('text/event-stream') ? 'an event stream' : await response.text();
      if (text === 'an event stream') await response.body?.cancel();
      expect([response.status, text], who).not.toEqual([500, expect.anything()]);
      // A run may ask for itself: nothing of hers is in the answer. 409: what the caller has of their own is at another version. 410: an invitation that is not there.
      const itself =
        (spec.scope === 'run' && who.startsWith('a run of')) ||
        ([...OF_THE_CALLER, ...OF_EVERYBODY].includes(id) && (response.ok || response.status === 409 || response.status === 410));
      if (!itself) expect([who, response.status, text]).toEqual([who, expect.toSatisfy((status: number) => [401, 403, 404].includes(status)), text]);
      expect([who, marks().filter((mark) => response.ok && text.includes(mark))]).toEqual([who, []]);
    }
  });
});

test('only operators see where the workflows are', async () => {
  const asked = (who: 'ada' | 'operator') => besideClient({ baseUrl: world.url, token: world.tokens[who] }).installation.get();
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
