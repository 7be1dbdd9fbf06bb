// Makes the calls of a case and judges them; what it shows is made to show again before it is believed.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { SkillCard } from '#contract/wire/card.ts';
import { DomainError } from '../../kernel/errors.ts';
import { isOpenRun } from '../../kernel/run-state.ts';
import { together } from '../../kernel/act.ts';
import { startRun } from '../../runs/durable/start.ts';
import { cancelJob } from '../../runs/job/cancel.ts';
import { resultIn } from '../../runs/run/outcome.ts';
import { type AttackCase, placed } from './attack/case.ts';
import { ordinaryArgs } from './attack/fields.ts';
import { type AttackFacts, judgeCase, type Observation } from './attack/judge.ts';
import type { Suspicion } from './attack/rules.ts';
import { observe, flatText } from './observe.ts';
import { plantOrders } from './scope.ts';
import type { LoopTarget } from './target.ts';

export type Usual = AttackFacts['usual'];

export interface CaseResult {
  seen: Observation[];
  suspicions: Suspicion[];
}

/** Milliseconds. A call is cut off after ten times what an ordinary one takes, within these. */
const [LEAST_LATE_MS, MOST_LATE_MS] = [4_000, 20_000];
/** An agent that was busy has so long to answer an ordinary call again. */
const BACK_MS = 12_000;
const REPLAY_MS = 15_000;
/** A race shows only sometimes. */
const PARALLEL_TRIES = 4;
const AGAIN_EVERY_MS = 250;

const lateAfter = ({ ms }: Usual): number => Math.min(MOST_LATE_MS, Math.max(LEAST_LATE_MS, ms * 10));

export async function tryCase(target: LoopTarget, tried: AttackCase, usual: Usual): Promise<CaseResult> {
  if (tried.orders) await plantOrders(target.ctx, target.scope, tried.orders);
  const skill = target.skills.find(({ id }) => id === tried.skill);
  const lateMs = lateAfter(usual);
  const limits = { skill: tried.skill, lateMs, tampers: tried.tampers === true };
  const seen = tried.replays
    ? [await replay(target, tried)]
    : tried.parallel
      ? await Promise.all(tried.calls.map((call) => observe(target, call, limits)))
      : await inOrder(tried.calls, (call) => observe(target, call, limits));
  const shaken = seen.some(({ how }) => how === 'late' || how === 'left' || how === 'unreachable' || how === 'failed');
  const down = shaken && usual.works && skill !== undefined && !(await answers(target, skill, usual));
  const bounded = skill !== undefined && skill.policy.timeout_seconds !== null;
  return { seen, suspicions: judgeCase(tried, seen, { ...target.facts, usual, lateMs, bounded, down }) };
}

/** Whether the calls, made again, show the same. */
export async function showsAgain(target: LoopTarget, tried: AttackCase, usual: Usual, rule: Suspicion['rule']): Promise<Observation[] | undefined> {
  for (let left = tried.parallel ? PARALLEL_TRIES : 1; left > 0; left -= 1) {
    const { seen, suspicions } = await tryCase(target, tried, usual);
    if (suspicions.some((one) => one.rule === rule)) return seen;
  }
  return undefined;
}

/** The ordinary call, until it is answered or refused in its time. */
async function answers(target: LoopTarget, skill: SkillCard, usual: Usual): Promise<boolean> {
  const call = { args: ordinaryArgs(skill.input_schema, target.workspace), grant: target.workspace ? ('given' as const) : ('none' as const) };
  for (const until = performance.now() + BACK_MS; ; await pause(AGAIN_EVERY_MS)) {
    const { how } = await observe(target, call, { skill: skill.id, lateMs: lateAfter(usual), tampers: false });
    if (how === 'answered' || how === 'asked' || how === 'refused') return true;
    if (performance.now() > until) return false;
  }
}

/** A durable run, started twice under one key, and once with other arguments. */
async function replay(target: LoopTarget, { skill, calls }: AttackCase): Promise<Observation> {
  const { ctx, route, facts } = target;
  const begun = performance.now();
  // Safe: as observe.
  const args = placed(calls[0]?.args ?? {}, facts.folders) as Record<string, unknown>;
  const idempotencyKey = `review-loop:${randomUUID()}`;
  const start = (given: Record<string, unknown>) =>
    together(ctx, (ctx) => startRun(ctx, { userId: ctx.actor.user_id, agent: route.agentName, skill, args: given, title: `Review loop: ${route.agentName}.${skill}`, idempotencyKey })); // prettier-ignore
  const seen: Observation = { how: 'answered', code: null, text: '', ms: 0, runId: null, asked: [], flags: [] };
  try {
    const [first, second] = [await start(args), await start(args)];
    const other = await start({ ...args, replayed: 'with other arguments' }).catch((error: unknown) =>
      error instanceof DomainError ? undefined : Promise.reject(error),
    );
    const row = await ended(target, first.run_id);
    if (row && isOpenRun(row)) await cancelJob(ctx, { job_id: first.job_id }).catch(() => undefined);
    const job = await ctx.db('jobs').where({ job_id: first.job_id }).first('output', 'error');
    const receipts = await ctx.db('receipts').where({ run_id: first.run_id, source: 'platform' }).select('receipt_id');
    const twice = first.run_id !== second.run_id || other !== undefined || receipts.length > 1;
    return {
      ...seen,
      ms: performance.now() - begun,
      runId: first.run_id,
      text: flatText([resultIn(job?.output), job?.error]),
      flags: twice ? ['replay-ran-twice'] : [],
    };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { ...seen, how: 'refused', code: error.code };
  }
}

async function ended({ ctx }: LoopTarget, runId: string) {
  for (const until = performance.now() + REPLAY_MS; ; await pause(AGAIN_EVERY_MS)) {
    const row = await ctx.db('runs').where({ run_id: runId }).first();
    if (!row || !isOpenRun(row) || row.state === 'waiting' || performance.now() > until) return row;
  }
}

async function inOrder<A, B>(items: readonly A[], work: (item: A) => Promise<B>): Promise<B[]> {
  const done: B[] = [];
  for (const item of items) done.push(await work(item));
  return done;
}
