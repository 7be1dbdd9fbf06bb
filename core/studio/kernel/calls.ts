// Turns that agents of the platform take, by real calls. What they answer is kept, so that a replay needs
// none of them.
import type { Knex } from 'knex';
import { MICROS_OF_A_CENT } from '#contract/money/dollars.ts';
import { ACTS } from '#contract/studio/simulation/acts.ts';
import { turnIn } from '#contract/studio/simulation/agent-turn.ts';
import type { Question } from '#contract/studio/simulation/engine.ts';
import { isOpenRun } from '../../kernel/run-state.ts';
import { appendEvent } from '../../jobs/append-event.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { DomainError, type Fault, faultOf, storedFault } from '../../kernel/errors.ts';
import { storableJson } from '../../kernel/storable.ts';
import { system, together } from '../../kernel/act.ts';
import { startRun } from '../../runs/durable/start.ts';
import { resultIn } from '../../runs/run/outcome.ts';
import { spentOn } from '../../runs/run/spent.ts';
import { callsIn, type SimulationCall, type KernelRunRow, simulationSpecIn } from './row.ts';

/** Characters of an answer as JSON: a turn is short, and what is longer is none. */
const MAX_ANSWER = 4_096;
const WAITS = 'simulation.waits_for_room';

/** Of the calls that have ended, in order. */
export const answersIn = (calls: readonly SimulationCall[]): unknown[] => calls.filter(({ state }) => state !== 'running').map(({ answer }) => answer);

/** What its agents cost so far, micro-dollars; a replay costs nothing. */
export async function spentMicros(db: Knex, row: Pick<KernelRunRow, 'calls' | 'replay_of'>): Promise<number> {
  const runs = row.replay_of === null ? callsIn(row).flatMap(({ run_id }) => run_id ?? []) : [];
  return (await spentOn(db, runs)).micros;
}

/**
 * The key is the call's: what is begun again after a crash is the run that was begun before. False: the
 * account has as many runs under way as it may, and the call waits, until the deadline of the simulation.
 */
export async function beginSimulationCall(ctx: Ctx, row: KernelRunRow, question: Question): Promise<boolean> {
  const agent = simulationSpecIn(row).actors.find(({ actor_id }) => actor_id === question.actor)?.agent;
  if (!agent) throw new Error(`${question.actor} has no agent`);
  const { call, step, actor } = question;
  const begun: SimulationCall = { call, step, actor, agent: agent.name, run_id: null, state: 'running', act: null, error: null, answer: null };
  const spent = await spentMicros(ctx.db, row);
  // Agents that ask no model cost nothing, and run without a budget.
  if (spent > 0 && spent >= row.budget_cents * MICROS_OF_A_CENT) {
    await note(ctx, row, { ...begun, state: 'cancelled', error: { code: 'budget_used', message: `The budget of ${row.budget_cents} cents is used up` } });
    return true;
  }
  const args = { ...agent.args, ...(agent.observation !== undefined && { [agent.observation]: question.observation }) };
  try {
    // startRun asks for who started the simulation.
    await together({ ...ctx, actor: { kind: 'platform', service: 'simulations' } }, async (ctx) => {
      const { run_id } = await startRun(ctx, {
        userId: row.owner_id,
        agent: agent.name,
        skill: agent.skill,
        args,
        parentJobId: row.job_id,
        purpose: 'simulation',
        title: `Simulation: ${agent.name}.${agent.skill}`,
        idempotencyKey: `kernel:${row.job_id}:${call}`,
      });
      await note(ctx, row, { ...begun, run_id });
    });
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    if (error.code === 'too_many_runs') {
      await sayItWaits(ctx, row, { call, step, actor, agent: agent.name });
      return false;
    }
    await note(ctx, row, { ...begun, state: 'failed', error: plain(faultOf(error)) });
  }
  return true;
}

/** Once for each call. */
async function sayItWaits(ctx: Ctx, row: KernelRunRow, waits: Pick<SimulationCall, 'call' | 'step' | 'actor' | 'agent'>): Promise<void> {
  const event = await ctx
    .db('job_events')
    .where({ job_id: row.job_id, kind: WAITS })
    .whereRaw(`payload->>'call' = ?`, [`${waits.call}`])
    .first('seq');
  if (!event) await appendEvent(ctx.db, row.job_id, WAITS, { ...waits, code: 'too_many_runs' });
}

/**
 * False: its run goes on. A run that asks a person is cancelled with the simulation's end; its turn is not
 * taken.
 */
export async function takeAnswer(ctx: Ctx, row: KernelRunRow): Promise<boolean> {
  const call = callsIn(row).at(-1);
  if (call?.state !== 'running') return true;
  const run = await ctx.db('runs').where({ run_id: call.run_id ?? '' }).first('state', 'job_id', 'kind'); // prettier-ignore
  if (run && run.state !== 'waiting' && isOpenRun(run)) return false;
  const job = run?.job_id ? await ctx.db('jobs').where({ job_id: run.job_id }).first('output', 'error') : undefined;
  const ended: SimulationCall = { ...call, state: run?.state === 'succeeded' ? 'succeeded' : 'failed' };
  if (run?.state === 'succeeded') {
    const answer = resultIn(job?.output);
    const storedAnswer = JSON.stringify(answer).length <= MAX_ANSWER ? answer : null;
    const act = turnIn(storedAnswer)?.act;
    await note(ctx, row, { ...ended, answer: storedAnswer, act: ACTS.find((one) => one === act) ?? null });
  } else if (run?.state === 'waiting') {
    await note(ctx, row, { ...ended, error: { code: 'asked_a_person', message: 'The skill asked a user: questions cannot be answered in a simulation' } });
  } else {
    await note(ctx, row, { ...ended, error: plain(storedFault(job?.error) ?? { code: 'unknown', message: 'The run is gone' }) });
  }
  return true;
}

const plain = ({ code, message }: Fault): Fault => ({ code, message });

/** Once: the last one is replaced while it is open. */
async function note(ctx: Ctx, row: KernelRunRow, call: SimulationCall): Promise<void> {
  const before = callsIn(row).filter((one) => one.call !== call.call);
  await system(ctx, async (ctx) => {
    const moved = await ctx
      .db('kernel_runs')
      .where({ job_id: row.job_id })
      .whereRaw('calls = ?::jsonb', [JSON.stringify(row.calls)])
      .update({ calls: storableJson([...before, call]) });
    const { answer: _, ...shown } = call;
    if (moved > 0) await appendEvent(ctx.db, row.job_id, call.state === 'running' ? 'simulation.call' : 'simulation.answered', shown);
  });
}
