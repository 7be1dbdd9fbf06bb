// Durable runs of the double: begun, ended, read again.
import { setTimeout as pause } from 'node:timers/promises';
import { canonicalJson } from '#contract/wire/canonical.ts';
import { startRun } from '../../../runs/durable/start.ts';
import { cancelJob } from '../../../runs/job/cancel.ts';
import { hashOf } from '../../../runs/run/hash.ts';
import { resultIn } from '../../../runs/run/outcome.ts';
import { verifiedReceipt } from '../../../evidence/receipt/verify.ts';
import { jobEvents } from '../../../jobs/retention/read.ts';
import { isTerminal } from '../../../jobs/model.ts';
import { together } from '../../../kernel/act.ts';
import { asUser, NotMade, stepResult, type Play, type StepHandler } from './play.ts';
import { chooseSkill } from './skills.ts';

const RUN_MS = 20_000;
const LOOK_MS = 50;
const EVENTS = 500;

export const startRunStep: StepHandler<'start_run'> = async (play, step) => {
  // A key stands for one request: sent again it says the same.
  const same = step.key !== undefined && typeof step.args === 'string' ? play.requests.get(step.key) : undefined;
  const { skill, args } = same ?? (await chooseSkill(play, step));
  if (step.key !== undefined && typeof step.args === 'string') play.requests.set(step.key, { skill, args });
  const { ctx, stage } = play;
  return stepResult(async () => {
    const idempotencyKey = step.key === undefined ? {} : { idempotencyKey: `${play.label}:${step.key}` };
    const started = await together(ctx, (ctx) => startRun(ctx, { userId: stage.userId, agent: stage.agent.name, skill, args, ...idempotencyKey }));
    play.runs.set(step.as, { run_id: started.run_id, job_id: started.job_id });
    return { facts: { existing: started.existing } };
  });
};

export const sameRun: StepHandler<'same_run'> = async (play, step) => {
  const [one, other] = [madeRun(play, step.one), madeRun(play, step.other)];
  return one.run_id === other.run_id ? { outcome: 'accepted' } : { outcome: 'refused' };
};

/** Whatever it comes to; what waits for a person or takes too long is cancelled. */
export const endRunStep: StepHandler<'end_run'> = async (play, step) => {
  const { run_id, job_id } = madeRun(play, step.run);
  const { ctx } = play;
  const look = (): Promise<{ state: string } | undefined> => ctx.db('jobs').where({ job_id }).first('state');
  const until = performance.now() + RUN_MS;
  let state = (await look())?.state ?? 'gone';
  while (!isTerminal(state) && state !== 'waiting' && performance.now() < until) {
    await pause(LOOK_MS, undefined, { signal: play.signal });
    state = (await look())?.state ?? 'gone';
  }
  const came = state;
  if (!isTerminal(state)) await cancelJob(asUser(play), { job_id });
  while (!isTerminal(state) && performance.now() < until + RUN_MS) {
    await pause(LOOK_MS, undefined, { signal: play.signal });
    state = (await look())?.state ?? 'gone';
  }
  if (!isTerminal(state)) return { outcome: 'refused', facts: { receipts: 0 } };
  const receipts = await ctx.db('receipts').where({ run_id }).select('receipt_id');
  return { outcome: 'accepted', facts: { receipts: receipts.length }, observed: `the run ended as ${came}` };
};

export const replay: StepHandler<'replay'> = async (play, step) => {
  const { run_id, job_id } = madeRun(play, step.run);
  const { ctx } = play;
  const first = await jobEvents(ctx, job_id, 0, EVENTS);
  const again = await jobEvents(ctx, job_id, 0, EVENTS);
  const half = Math.floor(first.length / 2);
  const tail = await jobEvents(ctx, job_id, half, EVENTS);
  const text = (events: readonly { seq: number; kind: string; payload: unknown }[]): string =>
    canonicalJson(events.map(({ seq, kind, payload }) => ({ seq, kind, payload })));
  const receipt = await ctx.db('receipts').where({ run_id }).first('token');
  const valid = receipt && (await verifiedReceipt(ctx.db, receipt.token).catch(() => undefined));
  const job = await ctx.db('jobs').where({ job_id }).first('state', 'output');
  const signedHash = valid?.payload.output_sha256 ?? null;
  const result = job?.state === 'succeeded' ? (hashOf(resultIn(job.output)) ?? null) : null;
  return {
    outcome: 'accepted',
    facts: {
      gapless: first.length > 0 && first.every(({ seq }, at) => seq === at + 1),
      same_again: text(first) === text(again) && text(first.slice(half)) === text(tail),
      receipt_valid: valid !== undefined,
      result_as_sealed: signedHash === result,
    },
    observed: `${first.length} events`,
  };
};

function madeRun({ runs }: Play, name: string): { run_id: string; job_id: string } {
  const run = runs.get(name);
  if (!run) throw new NotMade(`the run ${name}`);
  return run;
}
