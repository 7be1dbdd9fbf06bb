// What a coordinator's skill does with the SDK, against the API as it is served: goals are kept, calls are
// reported, and made again.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { socketOf } from '../support/agent-socket.ts';
import { isForAgents } from '#contract/wire/host-owner.ts';
import { inTx } from '#core/kernel/tx.ts';
import { invokeSkill } from '#test/support/calls.ts';
import { mintRunCredential } from '#core/runs/run/credential.ts';
import { mintGrant } from '#core/workspace/grant/mint.ts';
import { delegateGrant } from '#core/workspace/grant/delegate.ts';
import { controlPlane } from '#sdk/typescript/platform/control-plane.ts';
import type { RunServices } from '#sdk/typescript/runtime/platform.ts';
import { PendingRequests } from '#sdk/typescript/runtime/pending.ts';
import { WorkspaceAccess } from '#sdk/typescript/index.ts';
import { Agent, skill, z } from '#sdk/typescript/index.ts';
import { startAgent, type StartedAgent } from '#sdk/typescript/runtime.ts';
import { type LiveAgent, liveAgent, runOf, type TestRun } from '../support/runs.ts';
import { mkdir } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { dirname } from 'node:path';
import { createWorld, type World } from './world.ts';

class Callee extends Agent {
  name = 'callee';
  description = 'For tests.';
  version = '1.0.0';
  double = skill({ input: z.object({ n: z.number() }) }, async (_ctx, { n }) => n * 2);
}

let world: World;
let userId: string;
let coordinator: LiveAgent;
let callee: LiveAgent;
let server: StartedAgent;
/** A machine's egress proxy: what it refuses does not reach the API. */
let wayOut: Server;
let wayOutUrl = '';

beforeAll(async () => {
  world = await createWorld();
  userId =
    (
      await world.ctx
        .db('agents')
        .where({ name: world.records['name'] ?? '' })
        .first('owner_id')
    )?.owner_id ?? '';
  coordinator = await liveAgent(world.ctx, userId);
  callee = await liveAgent(world.ctx, userId);
  const path = socketOf(world.ctx.drivers.runtime.address(callee.instanceId));
  await mkdir(dirname(path), { recursive: true });
  server = await startAgent(Callee, { apiKey: 'the-key', listen: { path }, onLog: () => undefined });
  wayOut = createServer((req, res) => {
    const url = new URL(req.url ?? '/', world.url);
    if (!isForAgents(req.method ?? '', url.pathname)) return void res.writeHead(403).end();
    const body = req.method === 'GET' ? {} : { body: req, duplex: 'half' };
    void fetch(url, {
      method: req.method ?? 'GET',
      headers: { authorization: String(req.headers.authorization), 'content-type': 'application/json' },
      ...body,
    } as RequestInit).then(
      async (answer) => res.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text()),
      () => res.destroy(),
    );
  });
  await new Promise<void>((resolve) => wayOut.listen(0, '127.0.0.1', resolve));
  const at = wayOut.address();
  wayOutUrl = `http://127.0.0.1:${typeof at === 'object' && at ? at.port : 0}`;
});
afterAll(async () => {
  wayOut.closeAllConnections();
  await new Promise((resolve) => wayOut.close(resolve));
  await server.shutdown();
  await world.close();
});

async function servicesOf(run: TestRun): Promise<RunServices> {
  const token = await mintRunCredential(world.ctx.drivers.vault, run.actor, Date.now() + 60_000);
  const { run_id: runId, agent_name: agent, skill: name } = run.actor;
  const secret = (): string => '';
  const parts = { runId, requestId: 'req_1', agent, skill: name, signal: new AbortController().signal, token, policy: WorkspaceAccess.none(), secret };
  const verify = (): never => {
    throw new Error('no grants here');
  };
  return controlPlane({ url: wayOutUrl }).attach({ ...parts, policy: { ...none }, pending: new PendingRequests(verify) });
}
const none = {
  enabled: false,
  max_files: 0,
  allowed_modes: [],
  require_reason: true,
  deny_patterns: [],
  require_human_approval: false,
  max_total_size_bytes: 1,
};

test('a goal is kept from run to run; of two writers of one version, one gets a conflict', async () => {
  const { metaRuns } = await servicesOf(runOf(world.ctx, coordinator, userId));
  const made = await metaRuns.create('Ship it', { criteria: ['it runs'], plan: { steps: ['a', 'b'] } });
  expect(made).toMatchObject({
    id: expect.stringMatching(/^mrn_/),
    goal: 'Ship it',
    criteria: ['it runs'],
    progress: {},
    status: 'planning',
    version: 1,
    endedAt: null,
  });
  const later = (await servicesOf(runOf(world.ctx, coordinator, userId))).metaRuns;
  expect(await later.get(made.id)).toEqual(made);
  expect(await later.update(made.id, 1, { status: 'running', progress: { done: ['a'] } })).toMatchObject({ version: 2, progress: { done: ['a'] } });
  expect(await metaRuns.update(made.id, 1, { status: 'failed' })).toBeUndefined();
  expect((await metaRuns.list({ state: 'open', limit: 1 })).items).toMatchObject([{ id: made.id, version: 2 }]);
  expect(await later.update(made.id, 2, { status: 'succeeded' })).toMatchObject({ endedAt: expect.any(String) });
  expect((await metaRuns.list({ state: 'open' })).items).toEqual([]);
  expect(await metaRuns.get('mrn_00000000-0000-7000-8000-000000000000')).toBeUndefined();
  await expect(later.update(made.id, 3, { goal: 'more' })).rejects.toMatchObject({ platformCode: 'meta_run_ended' });
});

const list = async () => (await world.as('ada').subagentRuns.list({ query: { limit: 50, agent: callee.name } })).items;

test('a direct call is reported with its arguments, and its user makes it again', async () => {
  const run = runOf(world.ctx, coordinator, userId);
  const mine = await inTx({ ...world.ctx, actor: { kind: 'user', user_id: userId, email: '', operator: false, via: 'bearer' } }, (ctx) =>
    mintGrant(ctx, { userId, audience: coordinator.name, allow: ['**'], deny: [], mode: 'read_only', outputsPrefix: null, ttlSeconds: 600 }),
  );
  const part = {
    parentToken: mine.token,
    audience: callee.name,
    allow_patterns: ['a/**'],
    deny_patterns: [],
    mode: 'read_only' as const,
    outputs_prefix: null,
  };
  const { grant, token } = await delegateGrant(run, { ...part, ttl_seconds: 60 });
  const { trackCall } = await servicesOf(run);
  const started = { grant: token, skill: 'double', startedAt: new Date().toISOString(), args: { n: 4 } };
  await trackCall({ ...started, state: 'running' });
  await trackCall({ ...started, state: 'succeeded', endedAt: new Date().toISOString() });
  expect(await list()).toMatchObject([{ grant_id: grant.grant_id, source: 'reported', state: 'succeeded', caller_agent: coordinator.name, can_rerun: true }]);
  const again = await world.as('ada').subagentRuns.rerun({ params: { grant_id: grant.grant_id } });
  expect(again).toMatchObject({ source: 'rerun', rerun_of: grant.grant_id, skill: 'double', agent: callee.name });
});

test('each call that a skill makes leaves a row, grant or not, and can be made again', async () => {
  const before = (await list()).length;
  for (const n of [1, 2]) {
    const out = await invokeSkill(runOf(world.ctx, coordinator, userId), {
      name: callee.name,
      skill_name: 'double',
      args: { n },
      accept: undefined,
      signal: AbortSignal.timeout(20_000),
    });
    expect(out.body).toBe(n * 2);
  }
  const rows = await list();
  expect(rows).toHaveLength(before + 2);
  expect(rows[0]).toMatchObject({
    source: 'call',
    state: 'succeeded',
    skill: 'double',
    caller_agent: coordinator.name,
    can_rerun: true,
    receipt_id: expect.any(String),
  });
  const again = await world.as('ada').subagentRuns.rerun({ params: { grant_id: rows[0]?.grant_id ?? '' } });
  expect(await world.ctx.db('runs').where('run_id', again.run_id).first()).toMatchObject({ args: { n: 2 }, skill: 'double' });
});
