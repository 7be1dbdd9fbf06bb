// Rehearsals on a real Temporal and a real database, of an agent that the SDK's own runtime serves.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { ProtocolSimulationDetailOut } from '#contract/studio/protocol-simulations.ts';
import { recordHistory } from '#test/support/record-history.ts';
import { getSimulation } from './list.ts';
import { startSimulation } from './start.ts';
import { rehearsalWorld, type RehearsalWorld } from './test/world.ts';

let w: RehearsalWorld;
beforeAll(async () => void (w = await rehearsalWorld()));
afterAll(() => w.close());

const limits = { run_budget_cents: 500, budget_ceiling_cents: 3000, ttl_seconds: 600, max_episodes: 30 };
const begin = (seed = 1, scenarios?: string[]) => startSimulation(w.ada, { name: w.agent.name, seed, scenarios, ...limits });
const ended = (job_id: string): Promise<ProtocolSimulationDetailOut> =>
  vi.waitFor(
    async () => {
      const shown = await getSimulation(w.ada, { name: w.agent.name, job_id });
      if (shown.ended_at === null) throw new Error(`still ${shown.state}: ${JSON.stringify(shown.counts)}`);
      return shown;
    },
    { timeout: 90_000, interval: 100 },
  );
const workflowOf = async (job_id: string): Promise<string> => (await w.t.ctx.db('jobs').where({ job_id }).first('workflow_id'))?.workflow_id ?? '';

test('an agent is held against every scenario', async () => {
  const { job_id } = await begin();
  const shown = await ended(job_id);
  expect(shown.verdict).toBe('passed');
  await recordHistory(w.t.temporal, await workflowOf(job_id), 'rehearse.passed');
});
