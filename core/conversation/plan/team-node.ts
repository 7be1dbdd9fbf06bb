// A step of a team: its arguments are made for the agent that does it, under a grant only for the files of
// the task. When it fails, the next agent that the plan names takes its place.
import type { Knex } from 'knex';
import { AgentCard } from '#contract/wire/card.ts';
import type { DagNodesRow, DagRunsRow } from '#db/tables.ts';
import { appendEvent } from '../../jobs/append-event.ts';
import type { TxCtx } from '../../kernel/ctx.ts';
import type { Fault } from '../../kernel/errors.ts';
import { storableJson } from '../../kernel/storable.ts';
import { mintGrant } from '../../workspace/grant/mint.ts';
import { spentOn } from '../../runs/run/spent.ts';
import { type Task, taskArgs } from '../../runs/run/task-args.ts';

export type Brief = Omit<Task, 'before'>;
export interface PlanMember {
  agent: string;
  skill: string;
}

const GRANT_SECONDS = 3_600;

// Safe: createPlan writes them, in these shapes.
export const memberBriefIn = (row: Pick<DagNodesRow, 'brief'>): Brief | null => row.brief as Brief | null;
const othersIn = (row: Pick<DagNodesRow, 'others'>): PlanMember[] => row.others as PlanMember[];

/** `before`: the steps that it waited for, with what they gave. */
export async function argsForMember(tx: Knex, row: DagNodesRow, brief: Brief, before: Task['before']): Promise<Record<string, unknown>> {
  const agent = await tx('agents').where({ name: row.agent_name }).whereNull('deleted_at').first('card');
  const schema = AgentCard.safeParse(agent?.card).data?.skills.find(({ id }) => id === row.skill)?.input_schema ?? {};
  return taskArgs(schema, { ...brief, before });
}

/** Read only, for the files of the task; none where the agent does not work with files. */
export async function grantForMember(ctx: TxCtx, plan: DagRunsRow, row: DagNodesRow, brief: Brief): Promise<string | undefined> {
  if (brief.files.length === 0) return undefined;
  const agent = await ctx.db('agents').where({ name: row.agent_name }).whereNull('deleted_at').first('card');
  const access = AgentCard.safeParse(agent?.card).data?.workspace_access;
  if (!access?.enabled) return undefined;
  const { grant } = await mintGrant(ctx, {
    userId: plan.owner_id,
    audience: row.agent_name,
    allow: brief.files,
    deny: access.deny_patterns,
    mode: 'read_only',
    outputsPrefix: null,
    ttlSeconds: GRANT_SECONDS,
    reason: `step ${row.number} of ${plan.dag_run_id}`,
  });
  return grant.grant_id;
}

/** Undefined: there is money left, or the plan is no team's. */
export async function overBudget(tx: Knex, plan: DagRunsRow): Promise<Fault | undefined> {
  const team = await tx('team_runs').where({ dag_run_id: plan.dag_run_id }).first('budget_micros');
  if (!team) return undefined;
  const spent = await spentByTeams(tx, [plan.dag_run_id]);
  if (spent < team.budget_micros || spent === 0) return undefined;
  return { code: 'team_over_budget', message: `The team has spent ${spent} of ${team.budget_micros} micro-dollars: start it again with a larger budget` };
}

/** Micro-dollars of all runs of the teams, those of members that were replaced among them. */
export async function spentByTeams(db: Knex, dagRunIds: readonly string[]): Promise<number> {
  const runs = await db('dag_runs as d')
    .join('jobs as j', 'j.parent_job_id', 'd.job_id')
    .join('runs as r', 'r.job_id', 'j.job_id')
    .whereIn('d.dag_run_id', [...dagRunIds])
    .select('r.run_id');
  return (await spentOn(db, runs.map(({ run_id }) => run_id))).micros; // prettier-ignore
}

/** Whether the next agent took its place: it is pending again. */
export async function replaceMember(tx: Knex.Transaction, plan: DagRunsRow, row: DagNodesRow, error: Fault): Promise<boolean> {
  const [next, ...rest] = othersIn(row);
  if (!next) return false;
  const taken = await tx('team_runs').where({ dag_run_id: plan.dag_run_id }).where('replans_left', '>', 0).decrement('replans_left', 1);
  if (taken === 0) return false;
  const from = { agent: row.agent_name, skill: row.skill };
  const failed = row.run_id === null ? undefined : await tx('runs').where({ run_id: row.run_id }).first('receipt_id');
  const receipt_id = failed?.receipt_id ?? null;
  const set = { agent_name: next.agent, skill: next.skill, attempt: row.attempt + 1, run_id: null, job_id: null, wait_id: null, room_since: null };
  await tx('dag_nodes')
    .where({ dag_run_id: plan.dag_run_id, number: row.number })
    .update({ ...set, others: storableJson(rest), state: 'pending', error: null, started_at: null });
  Object.assign(row, set, { others: rest, state: 'pending', error: null });
  const { code, message } = error;
  await appendEvent(tx, plan.job_id, 'team.replaced', { number: row.number, step: row.step ?? '', from, to: next, error: { code, message }, receipt_id });
  return true;
}
