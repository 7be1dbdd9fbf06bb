// Minutes: what teams did, what was learnt, how agents stand, what waits for a person; each statement with
// the receipts that it rests on.
import type { Knex } from 'knex';
import type { StatementOut, TownhallOut } from '#contract/studio/company-brain.ts';
import { act, recorded } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { requireUser } from '../../kernel/policy.ts';
import { knownOf } from '../../deploys/planner/known.ts';
import { REGISTERED } from '../collective/scorecards.ts';
import { keepArtifact, type StoredArtifact } from './artifact.ts';
import { newestReceipts } from './population.ts';

const WEEK_MS = 7 * 86_400_000;
const MOST = 50;

/** Since the last minutes, or for a week. */
export async function holdTownhall(ctx: Ctx): Promise<StoredArtifact<TownhallOut>> {
  const { user_id } = requireUser(ctx, 'brain.change');
  const last = await ctx.db('brain_artifacts').where({ owner_id: user_id, kind: 'townhall' }).orderBy('created_at', 'desc').first('created_at'); // prettier-ignore
  const since = last?.created_at ?? new Date(ctx.clock() - WEEK_MS);
  const sections = [
    { title: 'What teams did', statements: await teams(ctx.db, user_id, since) },
    { title: 'What was learnt', statements: await learnt(ctx.db, user_id, since) },
    { title: 'How agents stand', statements: await agents(ctx, user_id) },
    { title: 'What waits for you', statements: await waiting(ctx.db, user_id) },
  ].filter(({ statements }) => statements.length > 0);
  return act(ctx, 'brain.change', requireUser, async (ctx) => {
    const statements = sections.reduce((sum, section) => sum + section.statements.length, 0);
    return recorded(await keepArtifact(ctx, { owner_id: user_id, kind: 'townhall' }, { since: since.toISOString(), sections }, { statements }));
  });
}

async function teams(db: Knex, ownerId: string, since: Date): Promise<StatementOut[]> {
  const { rows } = await db.raw<{ rows: { goal: string; protocol: string; state: string; receipts: string[] | null }[] }>(
    `select t.goal, t.protocol, j.state,
       (select array_agg(r.receipt_id order by n.number) from dag_nodes n join runs r on r.run_id = n.run_id where n.dag_run_id = t.dag_run_id and r.receipt_id is not null) as receipts
     from team_runs t join dag_runs d using (dag_run_id) join jobs j using (job_id)
     where t.owner_id = :owner and j.ended_at >= :since order by j.ended_at desc limit ${MOST}`,
    { owner: ownerId, since },
  );
  return rows.map(({ goal, protocol, state, receipts }) => ({
    text: `${goal.slice(0, 200)} (${protocol.replaceAll('_', ' ')}): ${state}`,
    sources: receipts ?? [],
  }));
}

async function learnt(db: Knex, ownerId: string, since: Date): Promise<StatementOut[]> {
  const rows = await db('team_memories').where({ owner_id: ownerId, state: 'current' }).where('created_at', '>=', since).orderBy('created_at', 'desc').limit(MOST).select('text', 'sources'); // prettier-ignore
  return rows.map(({ text, sources }) => ({ text, sources }));
}

async function agents(ctx: Ctx, ownerId: string): Promise<StatementOut[]> {
  const known = (await knownOf(ctx, ownerId, REGISTERED, {})).filter(({ routing }) => routing.routing_state !== 'candidate').slice(0, MOST);
  const receipts = await newestReceipts(ctx, ownerId, known.map(({ agent_id }) => agent_id)); // prettier-ignore
  return known.map(({ agent_id, row, routing }) => ({
    text: `${row.name} is ${routing.routing_state}. ${routing.reason}`,
    sources: receipts.get(agent_id)?.ids ?? [],
  }));
}

async function waiting(db: Knex, ownerId: string): Promise<StatementOut[]> {
  const dispatches = await db('brain_dispatches').where({ owner_id: ownerId, state: 'needs_person' }).orderBy('created_at', 'desc').limit(MOST).select('goal', 'reason'); // prettier-ignore
  const gates = await db('dag_nodes as n')
    .join('team_runs as t', 't.dag_run_id', 'n.dag_run_id')
    .where({ 't.owner_id': ownerId, 'n.state': 'asking' })
    .limit(MOST)
    .select('t.goal', 'n.step');
  return [
    ...dispatches.map(({ goal, reason }) => ({ text: `${goal.slice(0, 200)}: ${reason ?? 'it needs you'}`, sources: [] })),
    ...gates.map(({ goal, step }) => ({ text: `A gate of "${goal.slice(0, 200)}" waits at ${step ?? 'a step'}`, sources: [] })),
  ];
}
