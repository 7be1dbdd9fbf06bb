import type { Knex } from 'knex';
import type { BrokenRuleOut, ProtocolEventOut, ProtocolSimulationOut, ScenarioRunOut } from '#contract/studio/protocol-simulations.ts';
import { SCENARIO_STATES, type ScenarioState } from '#contract/states.ts';
import type { JobsRow, ProtocolScenarioRunsRow, ProtocolSimulationsRow } from '#db/tables.ts';
import { isTerminal } from '../../jobs/model.ts';
import { rehearsalSpending } from './budget.ts';
import { scenariosOf } from './find.ts';
import { storedFault } from '../../kernel/errors.ts';

export type SimulationView = ProtocolSimulationsRow & Pick<JobsRow, 'state' | 'error' | 'started_at'>;

/** For queries of `protocol_simulations as s`. */
export function simulations(db: Knex): Knex.QueryBuilder<SimulationView, SimulationView[]> {
  return db('protocol_simulations as s').join('jobs as j', 'j.job_id', 's.job_id').select<SimulationView[]>('s.*', 'j.state', 'j.error', 'j.started_at');
}

export async function presentSimulations(db: Knex, agent: string, rows: readonly SimulationView[]): Promise<ProtocolSimulationOut[]> {
  const { rows: found } = await db.raw<{ rows: { job_id: string; state: ScenarioState; n: number }[] }>(
    'select job_id, state, count(*)::int as n from protocol_scenario_runs where job_id = any(?) group by 1, 2',
    [rows.map(({ job_id }) => job_id)],
  );
  return Promise.all(
    rows.map(async (row) => ({
      job_id: row.job_id,
      agent,
      deploy_id: row.deploy_id,
      version: row.version,
      state: row.state,
      verdict: row.verdict,
      protocol_ref: { id: row.protocol_id, version: row.protocol_version, display_name: row.display_name, template_refs: row.template_refs },
      suite_digest: row.suite_digest,
      seed: row.seed,
      simulation_only: true as const,
      proposal_only: true as const,
      active_apply_enabled: false as const,
      kill_switch_available: !isTerminal(row.state),
      run_budget_cents: row.run_budget_cents,
      budget_ceiling_cents: row.budget_ceiling_cents,
      spent_micros: await rehearsalSpending(db, row),
      ttl_seconds: row.ttl_seconds,
      max_episodes: row.max_episodes,
      deadline_at: row.deadline_at.toISOString(),
      counts: countsOf(found.filter(({ job_id }) => job_id === row.job_id)),
      digest: row.digest,
      stage_removed: row.stage_user_id === null ? isTerminal(row.state) : row.stage_removed_at !== null,
      error: storedFault(row.error),
      created_at: row.created_at.toISOString(),
      started_at: row.started_at?.toISOString() ?? null,
      ended_at: row.ended_at?.toISOString() ?? null,
    })),
  );
}

// Safe: one member for each state of the list.
function countsOf(found: readonly { state: ScenarioState; n: number }[]): ProtocolSimulationOut['counts'] {
  return Object.fromEntries(SCENARIO_STATES.map((state) => [state, found.find((one) => one.state === state)?.n ?? 0])) as ProtocolSimulationOut['counts'];
}

export function presentScenarioRuns(of: Pick<ProtocolSimulationsRow, 'suite'>, rows: readonly ProtocolScenarioRunsRow[]): ScenarioRunOut[] {
  const scenarios = scenariosOf(of);
  return rows.map((row) => ({
    position: row.position,
    scenario: row.scenario,
    title: scenarios.find(({ scenario }) => scenario === row.scenario)?.title ?? row.scenario,
    seed: row.seed,
    state: row.state,
    events: eventsOf(row.events),
    observed: linesOf(row.observed),
    broken: brokenOf(row.broken),
    reason: row.reason,
    digest: row.digest,
    elapsed_ms: row.started_at && row.ended_at ? Math.max(0, row.ended_at.getTime() - row.started_at.getTime()) : null,
  }));
}

// Safe, all three: only endScenario writes them.
export function eventsOf(events: unknown): ProtocolEventOut[] {
  return events as ProtocolEventOut[];
}
function linesOf(observed: unknown): string[] {
  return observed as string[];
}
function brokenOf(broken: unknown): BrokenRuleOut[] {
  return broken as BrokenRuleOut[];
}
