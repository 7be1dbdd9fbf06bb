// A named reviewer takes part in a review loop: what its run gives back is taken, and believed where the
// platform sees the same.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ReviewLoopIn } from '#contract/studio/adversarial-review-loops.ts';
import { readLoop } from '#core/studio/review-loop/list.ts';
import { startLoop } from '#core/studio/review-loop/start.ts';
import { weakWorld, type WeakWorld } from './world.ts';

let world: WeakWorld;
beforeAll(async () => void (world = await weakWorld(['path-traversal', 'critic'])));
afterAll(() => world.close());

test('a finding of a reviewer counts when its call shows it; one that it makes up freezes nothing', async () => {
  const { ada, t } = world.w;
  const [name, reviewer] = [world.agents.get('path-traversal')?.name ?? '', world.agents.get('critic')?.name ?? ''];
  const { job_id } = await startLoop(ada, { name, ...ReviewLoopIn.parse({ iterations: 1, seed: 7, reviewer, deadline_seconds: 3600 }) });
  const shown = await vi.waitFor(
    async () => {
      const loop = await readLoop(ada, { name, job_id });
      if (loop.ended_at === null) throw new Error(`${loop.probes.done} of ${loop.probes.planned}`);
      return loop;
    },
    { timeout: 600_000, interval: 250 },
  );
  expect(shown).toMatchObject({ state: 'succeeded', reviewer });
  const byRule = new Map(shown.shown.map((one) => [one.rule, one]));
  expect(byRule.get('path-escape')).toMatchObject({ severity: 'critical', confirmed: true, freezes: true });
  expect(byRule.get('made-up')).toMatchObject({ severity: 'critical', confirmed: false, freezes: false });
  const events = await t.ctx.db('job_events').where({ job_id }).orderBy('seq');
  // Safe: the loop's own events.
  const of = (kind: string) => events.filter((event) => event.kind === kind).map(({ payload }) => payload as Record<string, unknown>);
  expect(of('reviewer_started')).toMatchObject([{ agent: reviewer }]);
  expect(of('fix_proposed')).toMatchObject([{ by: reviewer, proposal: { summary: 'Refuse what leaves the folder.' } }]);
  expect(of('loop_completed')).toMatchObject([{ by: reviewer, findings: 2, proposals: 1, left_out: 1 }, { by: 'platform' }]);
}, 700_000);
