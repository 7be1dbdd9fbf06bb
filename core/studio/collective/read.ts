// Runs of teams as their person sees them: the plan with its steps, and beside it gates, spending and
// evidence.
import { MICROS_OF_A_CENT } from '#contract/money/dollars.ts';
import type { Knex } from 'knex';
import type { CollectiveOut, TeamRunOut, TeamRunSummary } from '#contract/studio/collective-runtime.ts';
import { TEAM_PROTOCOLS, type TeamEvidence } from '#contract/studio/team-protocols.ts';
import type { TeamRunsRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { newestPage } from '../../kernel/keyset.ts';
import type { Page } from '../../kernel/page.ts';
import { requireUser, whereMay } from '../../kernel/policy.ts';
import { getPlan } from '../../conversation/plan/read.ts';
import { spentByTeams } from '../../conversation/plan/team-node.ts';
import { countByRouting } from './scorecards.ts';

type Row = TeamRunsRow & { job_id: string; state: TeamRunSummary['state']; ended_at: Date | null };

export async function teamRunFor(ctx: Ctx, db: Knex, action: 'team.approve' | 'team.read' | 'team.remember' | 'team.run', dagRunId: string): Promise<Row> {
  const row: Row | undefined = await select(db)
    .where('t.dag_run_id', dagRunId)
    .where(whereMay(ctx.actor, action, { owner: 't.owner_id' }))
    .first();
  if (!row) throw new NotFound('team_run_not_found', `You have no run ${dagRunId} of a team: list them with svc team list`);
  return row;
}

const select = (db: Knex) =>
  db('team_runs as t').join('dag_runs as d', 'd.dag_run_id', 't.dag_run_id').join('jobs as j', 'j.job_id', 'd.job_id').select('t.*', 'd.job_id', 'j.state', 'j.ended_at'); // prettier-ignore

/** Newest first. */
export async function listTeamRuns(ctx: Ctx, i: { limit: number; cursor?: string | undefined }): Promise<Page<TeamRunSummary>> {
  requireUser(ctx, 'team.read');
  const query = select(ctx.db).where(whereMay(ctx.actor, 'team.read', { owner: 't.owner_id' }));
  return newestPage(query, ['t.created_at', 't.dag_run_id'], i, summaryOf);
}

const summaryOf = (row: Row): TeamRunSummary => ({
  dag_run_id: row.dag_run_id,
  plan_id: row.plan_id,
  // Safe: planTeam writes only names of protocols.
  protocol: row.protocol as TeamRunSummary['protocol'],
  goal: row.goal,
  state: row.state,
  job_id: row.job_id,
  created_at: row.created_at.toISOString(),
  ended_at: row.ended_at?.toISOString() ?? null,
});

/** @throws NotFound team_run_not_found */
export async function readTeamRun(ctx: Ctx, i: { dag_run_id: string }): Promise<TeamRunOut> {
  const row = await teamRunFor(ctx, ctx.db, 'team.read', i.dag_run_id);
  const plan = await getPlan(ctx, i);
  const nodes = await ctx
    .db('dag_nodes as n')
    .leftJoin('waits as w', 'w.wait_id', 'n.wait_id')
    .where('n.dag_run_id', i.dag_run_id)
    .orderBy('n.number')
    .select('n.number', 'n.step', 'n.role', 'n.attempt', 'n.gate', 'n.state', 'n.wait_id', 'n.agent_name', 'w.state as wait_state');
  const about: Record<TeamEvidence, () => { met: boolean; about: string }> = {
    receipts: () => {
      const done = plan.nodes.filter(({ state }) => state === 'succeeded');
      const without = done.filter(({ receipt_id }) => receipt_id === null).length;
      return {
        met: done.length > 0 && without === 0,
        about: done.length === 0 ? 'No step is done' : `${done.length - without} of ${done.length} steps that were done have a receipt`,
      };
    },
    checked: () => {
      const authors = new Set(nodes.filter(({ role }) => !APART.has(role ?? '')).map(({ agent_name }) => agent_name));
      const by = nodes.find(({ role, state, agent_name }) => APART.has(role ?? '') && state === 'succeeded' && !authors.has(agent_name));
      return by
        ? { met: true, about: `${by.agent_name} reviewed the work of ${[...authors].join(', ')}` }
        : { met: false, about: 'No other agent has reviewed the work' };
    },
    approved: () => {
      const gates = nodes.filter(({ gate }) => gate);
      const open = gates.filter(({ wait_state }) => wait_state === 'approved').length;
      return {
        met: open === gates.length,
        about: gates.length === 0 ? 'At this risk it has no gate' : `${open} of ${gates.length} gates were opened by a person`,
      };
    },
  };
  return {
    ...summaryOf(row),
    budget_cents: row.budget_micros / MICROS_OF_A_CENT,
    spent_micros: await spentByTeams(ctx.db, [i.dag_run_id]),
    replans_left: row.replans_left,
    gates: nodes.flatMap(({ number, step, state, wait_id, wait_state }) => (state === 'asking' && wait_state === 'pending' && wait_id !== null ? [{ number, step: step ?? '', wait_id }] : [])), // prettier-ignore
    // Safe: planTeam writes the protocol's own.
    evidence: (row.evidence as TeamEvidence[]).map((evidence) => ({ evidence, ...about[evidence]() })),
    roles: nodes.map(({ number, step, role, attempt }) => ({ number, step: step ?? '', role: role ?? '', attempt })),
    plan,
  };
}

/** Roles that look at the work of others. */
const APART = new Set(TEAM_PROTOCOLS.flatMap(({ roles }) => roles.flatMap(({ role, apart }) => (apart ? [role] : []))));

export async function collectiveOverview(ctx: Ctx): Promise<CollectiveOut> {
  const { user_id } = requireUser(ctx, 'team.read');
  const { rows } = await ctx.db.raw<{ rows: { all: number; open: number; waiting: number; memories: number }[] }>(
    `select count(*)::int as all, count(*) filter (where j.ended_at is null)::int as open,
       count(*) filter (where j.ended_at is null and exists (select 1 from dag_nodes n where n.dag_run_id = t.dag_run_id and n.state = 'asking'))::int as waiting,
       (select count(*)::int from team_memories m where m.owner_id = :account) as memories
     from team_runs t join dag_runs d using (dag_run_id) join jobs j using (job_id) where t.owner_id = :account`,
    { account: user_id },
  );
  const [{ memories, ...runs } = { all: 0, open: 0, waiting: 0, memories: 0 }] = rows;
  return { protocols: TEAM_PROTOCOLS.length, agents: await countByRouting(ctx, user_id), runs, memories };
}
