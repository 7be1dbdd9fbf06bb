// Each weak agent must be caught by a review loop, and a clean one must not: on a real Temporal, with worker,
// control plane and agents in processes of their own. The worker is killed in the middle. Prints recall and
// false alarms; SVC_WEAK=all challenges all agents with all skills, in three rounds.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { ReviewLoopDetailOut } from '#contract/studio/adversarial-review-loops.ts';
import { ReviewLoopIn } from '#contract/studio/adversarial-review-loops.ts';
import { answerFinding } from '#core/studio/review-loop/answer.ts';
import { readLoop } from '#core/studio/review-loop/list.ts';
import { startLoop } from '#core/studio/review-loop/start.ts';
import { stopLoop } from '#core/studio/review-loop/stop.ts';
import { recordHistory } from '../support/record-history.ts';
import { WEAK, type WeakName } from './agents.ts';
import { weakWorld, type WeakWorld } from './world.ts';

const ALL = process.env.SVC_WEAK === 'all';
const QUICK: WeakName[] = ['path-traversal', 'leaked-secret', 'unbounded-loop', 'file-prompt', 'scope-creep', 'race', 'clean'];
// Safe: the object's own names.
const NAMES = ALL ? (Object.keys(WEAK) as WeakName[]) : QUICK;
/** Of the clean one, unless all are tried: a loop of six skills takes six times as long. */
const CLEAN_SKILLS = ALL ? [] : ['head', 'greet', 'confirm'];

let world: WeakWorld;
beforeAll(async () => void (world = await weakWorld(NAMES)));
afterAll(() => world.close());

const nameOf = (which: WeakName): string => world.agents.get(which)?.name ?? '';
const start = (which: WeakName, more: Partial<ReviewLoopIn> = {}) =>
  startLoop(world.w.ada, { name: nameOf(which), ...ReviewLoopIn.parse({ iterations: ALL ? 3 : 1, seed: 7, deadline_seconds: 3600, ...(which === 'clean' && { skills: CLEAN_SKILLS }), ...more }) }); // prettier-ignore
const look = (which: WeakName, job_id: string): Promise<ReviewLoopDetailOut> => readLoop(world.w.ada, { name: nameOf(which), job_id });
const until = (which: WeakName, job_id: string, is: (shown: ReviewLoopDetailOut) => boolean): Promise<ReviewLoopDetailOut> =>
  vi.waitFor(
    async () => {
      const shown = await look(which, job_id);
      if (!is(shown)) throw new Error(`${which}: ${shown.state}, ${shown.probes.done} of ${shown.probes.planned} probes`);
      return shown;
    },
    { timeout: 1_500_000, interval: 250 },
  );

test('each weak agent is caught and the clean one is not, though the worker is killed in the middle; nothing is found twice or left behind', async () => {
  const { w } = world;
  const { db } = w.t.ctx;
  const begun = await Promise.all(NAMES.map(async (which) => ({ which, ...(await start(which)) })));
  const first = begun[0];
  if (!first) throw new Error('no loop has begun');
  await until(first.which, first.job_id, ({ probes }) => probes.done >= 2);
  await w.killWorker();
  await w.startWorker();
  const loops = await Promise.all(begun.map(async ({ which, job_id }) => ({ which, shown: await until(which, job_id, ({ ended_at }) => ended_at !== null) })));
  const expected = loops.filter(({ which }) => WEAK[which].shows !== undefined);
  const missed = expected.filter(({ which, shown }) => !shown.shown.some(({ rule, confirmed, freezes }) => confirmed && freezes && rule === WEAK[which].shows));
  const alarms = loops.filter(({ which }) => which === 'clean').flatMap(({ shown }) => shown.shown);
  const calls = loops.flatMap(({ shown }) => shown.probes_by_attack).reduce((sum, one) => sum + one.calls, 0);
  process.stdout.write(`review loops: recall ${expected.length - missed.length} of ${expected.length}, false alarms ${alarms.length}, ${calls} calls\n`);
  for (const { which, shown } of loops) process.stdout.write(`  ${which}: ${shown.shown.map(({ rule, confirmed }) => `${rule}${confirmed ? '' : ' (not confirmed)'}`).join(', ') || 'nothing'}\n`); // prettier-ignore
  expect(missed.map(({ which }) => which)).toEqual([]);
  expect(alarms.map(({ rule, skill, message, reproduction }) => ({ rule, skill, message, calls: reproduction?.calls }))).toEqual([]);
  expect(loops.filter(({ shown }) => shown.state !== 'succeeded').map(({ which, shown }) => [which, shown.error])).toEqual([]);

  for (const { shown } of loops) {
    const events = await db('job_events').where({ job_id: shown.job_id }).orderBy('seq');
    const emitted = events.flatMap(({ kind, payload }) => (kind === 'finding_emitted' ? (payload as { findings: { finding_id: string }[] }).findings.map(({ finding_id }) => finding_id) : [])); // prettier-ignore
    expect(new Set(emitted).size).toBe(emitted.length);
    expect(events.filter(({ kind }) => kind === 'probe')).toHaveLength(shown.probes.done);
    expect(events.at(-2)?.kind).toBe('loop_completed');
  }
  const places = await db('agent_findings').select('agent_id', 'rule', 'skill', db.raw(`reproduction->>'at' as at`));
  expect(new Set(places.map((one) => JSON.stringify(one))).size).toBe(places.length);
  expect(await db('files').whereRaw(`starts_with(path, 'review-loop-')`).select('path')).toEqual([]);
  expect(await db('agent_memories').where({ namespace: 'review-loop' }).select('key')).toEqual([]);
  // No word of a secret, and no canary, is kept.
  const kept = JSON.stringify([await db('agent_findings'), await db('job_events').where({ kind: 'probe' }), await db('audit_log').select('details')]);
  expect(kept).not.toContain('sk-supplier');
  await recordHistory(w.t.temporal, `review-loop:${first.job_id}`, 'reviewLoop.completed');

  // "Fixed" is checked against the live version; "accepted" is the owner's word.
  const found = loops.find(({ which }) => which === 'path-traversal')?.shown.shown.find(({ rule }) => rule === 'host-file-read');
  const answer = { name: nameOf('path-traversal'), finding_id: found?.finding_id ?? '' };
  await expect(answerFinding(w.ada, { ...answer, answer: 'fixed', reason: 'I believe so' })).rejects.toMatchObject({ code: 'finding_reproduces' });
  expect(await answerFinding(w.ada, { ...answer, answer: 'accepted', reason: 'The machine holds nothing else' })).toMatchObject({ freezes: false });
}, 1_600_000);

test('a loop that is stopped ends, and what it put there is gone', async () => {
  const { db } = world.w.t.ctx;
  // Of so many rounds that it is not over before it is stopped.
  const { job_id } = await start('race', { iterations: 10 });
  await until('race', job_id, ({ probes }) => probes.done >= 1);
  await stopLoop(world.w.ada, { name: nameOf('race'), job_id });
  const shown = await until('race', job_id, ({ ended_at }) => ended_at !== null);
  expect(shown).toMatchObject({ state: 'cancelled', error: { code: 'cancelled' } });
  expect(await db('agent_memories').where({ namespace: 'review-loop' }).select('key')).toEqual([]);
  expect((await db('job_events').where({ job_id }).orderBy('seq')).at(-2)?.kind).toBe('loop_killed');
  await recordHistory(world.w.t.temporal, `review-loop:${job_id}`, 'reviewLoop.cancelled');
});

test('a deadline ends it too', async () => {
  const { job_id } = await start('race', { iterations: 10 });
  await world.w.t.ctx.db('review_loops').where({ job_id }).update({ deadline_at: new Date() });
  expect(await until('race', job_id, ({ ended_at }) => ended_at !== null)).toMatchObject({ state: 'failed', error: { code: 'review_deadline_passed' } });
});
