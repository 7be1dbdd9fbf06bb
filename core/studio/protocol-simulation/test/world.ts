// Rehearsals with everything that they cross: PostgreSQL, Temporal, a worker, and agents served by the SDK's
// own runtime. Only the machines are processes of ours.
import { NativeConnection } from '@temporalio/worker';
import { z } from 'zod';
import { createDeployActivities } from '#activities/deploy.ts';
import { createRehearsalActivities } from '#activities/rehearsals.ts';
import { createRunActivities } from '#activities/runs.ts';
import { createWaitActivities } from '#activities/waits.ts';
import { startHeartbeat } from '#core/runs/index.ts';
import { Agent } from '#sdk/typescript/authoring/agent.ts';
import { skill } from '#sdk/typescript/authoring/skill.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { type SdkMachines, sdkMachines } from '#test/support/sdk-machines.ts';
import { testTemporal } from '#test/support/servers.ts';
import { testWorkflows } from '#test/support/workflows.ts';
import { createWorkers } from '#worker/queues.ts';

export interface RehearsalWorld extends Pick<SdkMachines, 'agent' | 'started' | 'running'> {
  t: TestContext;
  ada: TestUser;
  ben: TestUser;
  /** What agents do with a call; default: nothing more. */
  behave: { prints?: string; slowMs?: number; breaks?: boolean; during?: () => Promise<void> };
  startWorker(): Promise<void>;
  stopWorker(): Promise<void>;
  close(): Promise<void>;
}

export async function rehearsalWorld(): Promise<RehearsalWorld> {
  const temporal = await testTemporal();
  const t = await testContext({ temporal });
  const behave: RehearsalWorld['behave'] = {};
  const [ada, ben] = [await t.user('ada'), await t.user('ben')];
  const machines = await sdkMachines(t.ctx, {
    ownerId: ada.actor.user_id,
    secrets: { SERVICE_KEY: 'the real one' },
    make: (name, print) => {
      class Clerk extends Agent {
        name = name;
        description = 'For tests.';
        version = '1.0.0';
        override concurrency = 16;
        override requiredSecrets = ['SERVICE_KEY'];
        file = skill({ description: 'Files.', input: z.object({ title: z.string().max(80), pages: z.int().min(0) }) }, async (ctx, { title, pages }) => {
          if (behave.prints) print(`${behave.prints} ${ctx.secret('SERVICE_KEY')}`);
          await behave.during?.();
          if (behave.slowMs) await new Promise((resolve) => setTimeout(resolve, behave.slowMs));
          return { filed: `${title}/${pages}` };
        });
      }
      return new Clerk();
    },
  });

  const connection = await NativeConnection.connect({ address: temporal.address });
  const stopHeartbeat = await startHeartbeat(t.ctx.db);
  let stop: (() => Promise<void>) | undefined;
  const world: RehearsalWorld = {
    t,
    ada,
    ben,
    agent: machines.agent,
    started: machines.started,
    running: () => machines.running(),
    behave,
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
      await machines.close();
      await connection.close();
      await t.close();
    },
  };
  await world.startWorker();
  return world;
}
