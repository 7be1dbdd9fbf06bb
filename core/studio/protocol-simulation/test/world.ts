// Rehearsals with everything that they cross: PostgreSQL, Temporal, a worker, and agents served by the SDK's own runtime. Only the machines are processes of ours.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NativeConnection } from '@temporalio/worker';
import { z } from 'zod';
import { createDeployActivities } from '#activities/deploy.ts';
import { createRehearsalActivities } from '#activities/rehearsals.ts';
import { createRunActivities } from '#activities/runs.ts';
import { createWaitActivities } from '#activities/waits.ts';
import type { AgentCard } from '#contract/wire/card.ts';
import type { StartInput } from '#drivers/runtime/port.ts';
import { startHeartbeat } from '#core/runs/index.ts';
import { Agent } from '#sdk/typescript/authoring/agent.ts';
import { skill } from '#sdk/typescript/authoring/skill.ts';
import { controlPlane } from '#sdk/typescript/platform/control-plane.ts';
import { startAgent, type StartedAgent } from '#sdk/typescript/runtime/start.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { type LiveAgent, liveAgent } from '#test/support/runs.ts';
import { scriptedRuntime } from '#test/support/scripted-runtime.ts';
import { testTemporal } from '#test/support/servers.ts';
import { testWorkflows } from '#test/support/workflows.ts';
import { createWorkers } from '#worker/queues.ts';

export interface RehearsalWorld {
  t: TestContext;
  ada: TestUser;
  ben: TestUser;
  agent: LiveAgent;
  /** What machines were started with, oldest first. */
  started: StartInput[];
  /** Machines that run. */
  running(): string[];
  /** What agents do with a call; default: nothing more. */
  behave: { prints?: string; slowMs?: number; breaks?: boolean };
  startWorker(): Promise<void>;
  stopWorker(): Promise<void>;
  close(): Promise<void>;
}

export async function rehearsalWorld(): Promise<RehearsalWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-reh-'));
  const temporal = await testTemporal();
  const t = await testContext({ temporal });
  const machines = new Map<string, StartedAgent>();
  const started: StartInput[] = [];
  const scripted = scriptedRuntime();
  const lines: string[] = [];
  const behave: RehearsalWorld['behave'] = {};
  t.ctx.drivers.runtime = {
    ...scripted,
    address: (id) => ({ unix: join(folder, `${id.slice(-12)}.sock`) }),
    start: async (input) => {
      started.push(input);
      const card = await serve(input);
      return { instance_id: input.instance_id, runtime: 'sha256:runtime', card };
    },
    stop: async (id) => {
      const machine = machines.get(id);
      machines.delete(id);
      await machine?.shutdown();
    },
    logs: async () => lines.map((text, seq) => ({ seq, at: 0, stream: 'stdout' as const, text })),
  };

  async function serve({
    instance_id,
    api_key,
    secrets,
    grant_key,
    env,
  }: Pick<StartInput, 'instance_id' | 'api_key' | 'secrets' | 'grant_key' | 'env'>): Promise<AgentCard> {
    const known = machines.get(instance_id);
    if (known) return known.card;
    class Clerk extends Agent {
      name = agent.name;
      description = 'For tests.';
      version = '1.0.0';
      override concurrency = 16;
      override requiredSecrets = ['SERVICE_KEY'];
      file = skill({ description: 'Files.', input: z.object({ title: z.string().max(80), pages: z.int().min(0) }) }, async (ctx, { title, pages }) => {
        if (behave.prints) lines.push(`${behave.prints} ${ctx.secret('SERVICE_KEY')}`);
        if (behave.slowMs) await new Promise((resolve) => setTimeout(resolve, behave.slowMs));
        return { filed: `${title}/${pages}` };
      });
    }
    const machine = await startAgent(new Clerk(), {
      apiKey: api_key,
      secrets,
      listen: { path: join(folder, `${instance_id.slice(-12)}.sock`) },
      platform: controlPlane({ url: 'http://127.0.0.1:9', grantKey: grant_key, ...(env['SVC_AGENT_NAME'] && { agentName: env['SVC_AGENT_NAME'] }) }),
      drainMs: 200,
      onLog: () => undefined,
    });
    machines.set(instance_id, machine);
    return machine.card;
  }

  const [ada, ben] = [await t.user('ada'), await t.user('ben')];
  const agent = await liveAgent(t.ctx, ada.actor.user_id);
  const card = await serve({
    instance_id: agent.instanceId,
    api_key: 'the-key',
    secrets: { SERVICE_KEY: 'the real one' },
    grant_key: Buffer.alloc(32, 1).toString('base64url'),
    env: {},
  });
  const manifest = { name: agent.name, version: '1.0.0', entrypoint: 'agent:Clerk' };
  for (const table of ['agents', 'deployments'] as const)
    await t.ctx
      .db(table)
      .where({ agent_id: agent.id })
      .update({ card: JSON.stringify(card), version: '1.0.0' });
  await t.ctx
    .db('deployments')
    .where({ agent_id: agent.id })
    .update({ manifest: JSON.stringify(manifest), image: 'sha256:clerk' });

  const connection = await NativeConnection.connect({ address: temporal.address });
  const stopHeartbeat = await startHeartbeat(t.ctx.db);
  let stop: (() => Promise<void>) | undefined;
  const world: RehearsalWorld = {
    t,
    ada,
    ben,
    agent,
    started,
    behave,
    running: () => [...machines.keys()],
    async startWorker() {
      const workers = await createWorkers({
        connection,
        namespace: temporal.namespace,
        node: 'local',
        activities: {
          ...createDeployActivities({ ...t.ctx, node: 'local' }),
          ...createWaitActivities(t.ctx),
          ...createRunActivities(t.ctx),
          ...createRehearsalActivities(t.ctx),
        },
        workflows: { workflowBundle: await testWorkflows() },
      });
      const run = workers.map((worker) => worker.run());
      stop = async () => {
        for (const worker of workers) worker.shutdown();
        await Promise.all(run);
      };
    },
    async stopWorker() {
      await stop?.();
      stop = undefined;
    },
    async close() {
      await stop?.();
      stopHeartbeat();
      await Promise.all([...machines.values()].map((machine) => machine.shutdown()));
      await connection.close();
      await t.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  await world.startWorker();
  return world;
}
