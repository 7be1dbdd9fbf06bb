// Each weak agent must be caught by a review loop, and a clean one must not: on a real Temporal, with worker, control plane and agents as they are.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { readLoop } from '#core/studio/review-loop/list.ts';
import { startLoop } from '#core/studio/review-loop/start.ts';
import type { ReviewLoopDetailOut } from '#contract/studio/adversarial-review-loops.ts';
import { ReviewLoopIn } from '#contract/studio/adversarial-review-loops.ts';
import { WEAK, type WeakName } from './agents.ts';
import { weakWorld, type WeakWorld } from './world.ts';

const NAMES = Object.keys(WEAK) as WeakName[];
let world: WeakWorld;
beforeAll(async () => void (world = await weakWorld(NAMES)), 60_000);
afterAll(() => world.close());

const ended = (name: string, job_id: string): Promise<ReviewLoopDetailOut> =>
  vi.waitFor(
    async () => {
      const shown = await readLoop(world.w.ada, { name, job_id });
      if (shown.ended_at === null) throw new Error(`${shown.probes.done} of ${shown.probes.planned}`);
      return shown;
    },
    { timeout: 240_000, interval: 200 },
  );

test('recall and false alarms', async () => {
  const loops = await Promise.all(
    NAMES.map(async (which) => {
      const name = world.agents.get(which)?.name ?? '';
      const begun = performance.now();
      const { job_id } = await startLoop(world.w.ada, { name, ...ReviewLoopIn.parse({ iterations: 1, seed: 7 }) });
      const shown = await ended(name, job_id);
      return { which, shown, seconds: (performance.now() - begun) / 1000 };
    }),
  );
  for (const { which, shown, seconds } of loops)
    console.log(
      which,
      shown.state,
      shown.error?.code ?? '',
      `${shown.probes.done}/${shown.probes.planned}`,
      seconds.toFixed(1),
      shown.shown.map((f) => `${f.rule}${f.confirmed ? '' : '?'}@${f.skill}`).join(' '),
    );
  expect(
    loops
      .filter(({ which, shown }) => WEAK[which].shows !== undefined && !shown.shown.some(({ rule, confirmed }) => confirmed && rule === WEAK[which].shows))
      .map(({ which }) => which),
  ).toEqual([]);
  expect(loops.find(({ which }) => which === 'clean')?.shown.shown).toEqual([]);
}, 300_000);
