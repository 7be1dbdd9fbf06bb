// Simulations and comparisons in a terminal, over the real routes and a real database; what the worker does
// is done beside.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveForTest, TEST_ACTORS } from '#api/http/test/serve.ts';
import { kernelEvolutionRoutes } from '#api/routes/studio/kernel-evolution.ts';
import { kernelSimulationRoutes } from '#api/routes/studio/kernel-simulations.ts';
import { kernelEvolution } from '#contract/studio/kernel-evolution.ts';
import { kernelSimulations } from '#contract/studio/kernel-simulations.ts';
import { templateOf } from '#contract/studio/simulation/templates.ts';
import { advanceKernelRun } from '#core/studio/kernel/steps.ts';
import { createPool } from '#db/pool.ts';
import { cites } from '#test/spec/verifies.ts';
import { testDatabase } from '#test/support/servers.ts';
import { testCtx } from '#test/support/verbs.ts';
import { EXIT } from '../../lib/exit-codes.ts';
import { signedIn, toolAt } from '../../test/signed-in.ts';

const db = createPool({ connectionString: (await testDatabase()).url });
for (const actor of Object.values(TEST_ACTORS)) {
  if (actor.kind === 'user') await db('users').insert({ user_id: actor.user_id, issuer: 'test', subject: actor.user_id, email: actor.email });
}
const api = await serveForTest(
  { kernelSimulations, kernelEvolution },
  { kernelSimulations: kernelSimulationRoutes, kernelEvolution: kernelEvolutionRoutes },
  { db },
);
const { tool } = await toolAt({
  url: api.url,
  async close() {
    await api.close();
    await db.destroy();
  },
});
const run = (...argv: string[]) => tool.run(argv, signedIn);

const ctx = testCtx(db, { actor: { kind: 'platform', service: 'simulations' } });
let working = true;
let worker: Promise<void>;
async function work(): Promise<void> {
  while (working) {
    const open = await db('kernel_runs as k').join('jobs as j', 'j.job_id', 'k.job_id').whereIn('j.state', ['queued', 'running']).pluck('k.job_id');
    for (const job_id of open) await advanceKernelRun(ctx, job_id);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
beforeAll(() => void (worker = work()));
afterAll(async () => {
  working = false;
  await worker;
});

test(
  'a world is run to its end, listed, shown, and comes to the same digests here',
  cites('kernelSimulations.start', 'kernelSimulations.get', 'kernelSimulations.list', 'kernelSimulations.replay', 'kernelSimulations.templates'),
  async () => {
    const { code, out } = await run('simulate', 'creator-market', '--seed', '7', '--steps', '12', '--follow');
    expect([code, out]).toEqual([EXIT.ok, expect.stringMatching(/held/)]);
    const begun = await run('simulate', 'school', '--follow', '--json');
    const { job_id } = JSON.parse(begun.out);
    expect((await run('simulate', 'list')).out).toContain(job_id);
    expect((await run('simulate', 'show', job_id)).out.length).toBeGreaterThan(100);
    expect(await run('simulate', 'replay', job_id)).toMatchObject({ code: EXIT.ok });
    expect(await run('simulate', 'replay', job_id, '--local')).toMatchObject({ code: EXIT.ok, out: expect.stringContaining('are the same here') });
    expect((await run('simulate', 'templates')).out).toContain('creator-market');
    expect(JSON.parse((await run('simulate', 'templates', 'market')).out)).toMatchObject({ kind: 'market' });
  },
);

test('a world of a file: a broken invariant ends with 1, and what is no world is refused with its place', async () => {
  const file = join(tool.home, 'world.json');
  const spec = { ...templateOf('creator-market')?.spec, invariants: [{ metric: 'solvent_permille', at_least: 950 }] };
  await writeFile(file, JSON.stringify(spec));
  const broken = await run('simulate', file, '--seed', '7', '--follow');
  expect([broken.code, broken.out + broken.err]).toEqual([EXIT.failure, expect.stringContaining('solvent_permille')]);
  await writeFile(file, JSON.stringify({ ...spec, kind: 'zoo' }));
  expect((await run('simulate', file)).code).not.toBe(EXIT.ok);
  expect((await run('simulate', 'no-such-world')).code).not.toBe(EXIT.ok);
  expect((await run('simulate', 'school', '--steps', '0')).err).toContain('--steps');
});

test(
  'variants are compared with their intervals, and compared again',
  cites('kernelEvolution.start', 'kernelEvolution.get', 'kernelEvolution.replay'),
  async () => {
    const { code, out } = await run('evolve', 'creator-market', '--variants', '1', '--seeds', '4', '--follow', '--json');
    const compared = JSON.parse(out);
    expect([code, compared.contestants.length]).toEqual([EXIT.ok, 2]);
    expect((await run('evolve', 'show', compared.job_id)).out).toContain(compared.contestants[1].name);
    expect(await run('evolve', 'replay', compared.job_id)).toMatchObject({ code: EXIT.ok });
    expect((await run('evolve', 'creator-market', '--seeds', '3')).err).toContain('--seeds');
  },
);
