// The steps of a rehearsal, as its workflow takes them. Each may come twice: what has a result is not played
// again.
import { AgentCard } from '#contract/wire/card.ts';
import type { SimulationVerdict } from '#contract/states.ts';
import type { ProtocolScenarioRunsRow, ProtocolSimulationsRow } from '#db/tables.ts';
import { appendEvent } from '../../jobs/append-event.ts';
import { endJob, markRunning } from '../../jobs/long-work.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import type { Fault } from '../../kernel/errors.ts';
import { storableJson } from '../../kernel/storable.ts';
import { system } from '../../kernel/act.ts';
import { isOverBudget } from './budget.ts';
import { scenarioDigest, simulationDigest } from './digest.ts';
import { scenariosOf } from './find.ts';
import { playScenario } from './play-scenario.ts';
import { eventsOf } from './present.ts';
import { simulated } from './registry/simulated.ts';
import type { Stage } from './stage/model.ts';
import { laneOf } from './steps/index.ts';

export interface BegunSimulation {
  node: string;
  /** Milliseconds until its deadline. */
  left_ms: number;
}

/** Null: it has ended. */
export async function beginSimulation(ctx: Ctx, jobId: string): Promise<BegunSimulation | null> {
  return system(ctx, async (ctx) => {
    const row = await ctx.db('protocol_simulations').where({ job_id: jobId }).forUpdate().first('ended_at', 'node', 'deadline_at');
    if (!row || row.ended_at !== null) return null;
    await markRunning(ctx.db, jobId);
    return { node: row.node, left_ms: Math.max(0, row.deadline_at.getTime() - ctx.clock()) };
  });
}

export interface NextScenarios {
  /** Positions of those that may be played beside each other. */
  together: number[];
  /** One by one, after those. */
  alone: number[];
}

/** What has no result yet. None: from now on none can be added. @throws OutOfBudget */
export async function nextScenarios(ctx: Ctx, jobId: string): Promise<NextScenarios | 'over_budget'> {
  return system(ctx, async (ctx) => {
    const row = await ctx.db('protocol_simulations').where({ job_id: jobId }).forUpdate().first();
    if (!row) return { together: [], alone: [] };
    if (await isOverBudget(ctx.db, row)) return 'over_budget';
    const open = await ctx.db('protocol_scenario_runs').where({ job_id: jobId }).whereIn('state', ['queued', 'running']).orderBy('position');
    if (open.length === 0)
      await ctx
        .db('protocol_simulations')
        .where({ job_id: jobId })
        .update({ closed_at: new Date(ctx.clock()) });
    const steps = new Map(scenariosOf(row).map((one) => [one.scenario, one.steps]));
    const lane = (which: ReturnType<typeof laneOf>): number[] =>
      open.flatMap(({ scenario, position }) => (laneOf(steps.get(scenario) ?? []) === which ? [position] : []));
    return { together: lane('together'), alone: [...lane('alone'), ...lane('last')] };
  });
}

/**
 * Plays one and writes its result; one that has a result is not changed.
 * @throws what the platform fails with
 */
export async function runScenario(ctx: Ctx, i: { job_id: string; position: number }, signal: AbortSignal): Promise<void> {
  const where = { job_id: i.job_id, position: i.position };
  const row = await ctx.db('protocol_simulations').where({ job_id: i.job_id }).first();
  if (!row || row.ended_at !== null || (await isOverBudget(ctx.db, row))) return;
  const run = await beginScenario(ctx, where);
  const stage = run && (await stageOf(ctx, row));
  if (!run || !stage) return;
  const scenario = scenariosOf(row).find((one) => one.scenario === run.scenario);
  if (!scenario) return failScenario(ctx, { ...where, reason: 'This version of the product does not know the words of its suite' });
  const played = await playScenario(ctx, { stage, scenario, seed: run.seed, label: `${run.position}-${run.attempt}`, signal });
  // Nothing is said of a stage that is going.
  signal.throwIfAborted();
  await endScenario(ctx, run, played);
}

async function beginScenario(ctx: Ctx, where: { job_id: string; position: number }): Promise<ProtocolScenarioRunsRow | undefined> {
  return system(ctx, async (ctx) => {
    const [row] = await ctx
      .db('protocol_scenario_runs')
      .where(where)
      .whereIn('state', ['queued', 'running'])
      .update({ state: 'running', attempt: ctx.db.raw('attempt + 1'), started_at: ctx.db.raw('coalesce(started_at, now())') })
      .returning('*');
    if (!row) return undefined;
    const { scenario, position, seed, attempt } = row;
    // A worker was lost while it played it: it is played from its beginning, by other names.
    await appendEvent(ctx.db, where.job_id, attempt === 1 ? 'scenario_started' : 'scenario_started_again', { scenario, position, seed });
    return row;
  });
}

type Result = Pick<Awaited<ReturnType<typeof playScenario>>, 'events' | 'observed' | 'broken' | 'reason'> & { state: ProtocolScenarioRunsRow['state'] };

/** The attempt that plays it now writes it, once; one that was taken for lost writes nothing. */
async function endScenario(ctx: Ctx, { job_id, position, scenario, seed, attempt }: ProtocolScenarioRunsRow, result: Result): Promise<void> {
  const { state, events, observed, broken, reason } = result;
  const digest = scenarioDigest({ scenario, seed, state, events });
  await system(ctx, async (ctx) => {
    const moved = await ctx
      .db('protocol_scenario_runs')
      .where({ job_id, position, attempt, state: 'running' })
      .update({
        state,
        events: storableJson(events),
        observed: storableJson(observed),
        broken: storableJson(broken),
        reason,
        digest,
        ended_at: ctx.db.raw('now()'),
      });
    if (moved > 0) await appendEvent(ctx.db, job_id, `scenario_${state}`, { scenario, position, seed, digest, events: events.length, broken, reason });
  });
}

/** No verdict: its machine, or the platform, failed again and again. */
export async function failScenario(ctx: Ctx, { job_id, position, reason }: { job_id: string; position: number; reason: string }): Promise<void> {
  const row = await ctx.db('protocol_scenario_runs').where({ job_id, position }).first();
  if (row) await endScenario(ctx, row, { state: 'errored', events: [], observed: [], broken: [], reason });
}

async function stageOf(ctx: Ctx, row: ProtocolSimulationsRow): Promise<Stage | undefined> {
  const instance = await ctx
    .db('agents as a')
    .join('instances as i', 'i.agent_id', 'a.agent_id')
    .where({ 'a.owner_id': row.stage_user_id ?? '', 'i.state': 'serving' })
    .whereNull('a.deleted_at')
    .first('a.agent_id', 'a.name', 'a.card', 'i.instance_id', 'i.deploy_id');
  if (!instance || row.stage_user_id === null) return undefined;
  const { agent_id: agentId, name, deploy_id: deployId } = instance;
  const { job_id: jobId, owner_id: ownerId, stage_user_id: userId } = row;
  return { jobId, ownerId, userId, agent: { agentId, name, deployId }, card: AgentCard.parse(instance.card), instanceId: instance.instance_id };
}

/** Ends it once; the first cause counts: completion, a stop, or its deadline. */
export async function endSimulation(ctx: Ctx, jobId: string, fault?: Fault): Promise<void> {
  await system(ctx, async (ctx) => {
    const row = await ctx.db('protocol_simulations').where({ job_id: jobId }).whereNull('ended_at').forUpdate().first();
    if (!row) return;
    await ctx
      .db('protocol_scenario_runs')
      .where({ job_id: jobId })
      .whereIn('state', ['queued', 'running'])
      .update({ state: 'cancelled', reason: fault?.message ?? 'It was not played', ended_at: ctx.db.raw('now()') });
    const runs = await ctx.db('protocol_scenario_runs').where({ job_id: jobId }).orderBy('position');
    const verdict = verdictOf(runs);
    const digest = simulationDigest({
      protocol: { id: row.protocol_id, version: row.protocol_version, suite_digest: row.suite_digest },
      seed: row.seed,
      scenarios: runs.map(({ scenario, seed, state, events }) => ({ scenario, seed, state, events: eventsOf(events) })),
    });
    const at = new Date(ctx.clock());
    await ctx.db('protocol_simulations').where({ job_id: jobId }).update({ verdict, digest, ended_at: at, closed_at: at });
    if (verdict === 'passed' && !fault) await simulated(ctx, row);
    const output = {
      verdict,
      digest,
      passed: runs.filter((run) => run.state === 'passed').length,
      failed: runs.filter((run) => run.state === 'failed').length,
    };
    await endJob(ctx.db, jobId, { output, fault });
    await audit(ctx, 'rehearsal.ended', { job: jobId }, { verdict, digest, ...(fault && { code: fault.code }) });
  });
}

/** What could not apply says nothing against it, and nothing for it. */
function verdictOf(runs: readonly Pick<ProtocolScenarioRunsRow, 'state'>[]): SimulationVerdict {
  const has = (...states: ProtocolScenarioRunsRow['state'][]): boolean => runs.some(({ state }) => states.includes(state));
  if (has('failed')) return 'failed';
  return has('errored', 'cancelled', 'queued', 'running') || !has('passed') ? 'incomplete' : 'passed';
}
