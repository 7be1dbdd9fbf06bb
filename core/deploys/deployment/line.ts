// The line for a builder. Accounts take turns: each has one place in it, from which its oldest build goes,
// and is at its end again when that one is built. So a place never rises, and one account's ten builds wait
// behind another's one. Who has something being built comes after all who have not. A restart builds nothing
// and does not wait.
import type { Knex } from 'knex';
import { BuildLine, WAITING_EVENT } from '#contract/deploys/build-line.ts';
import { appendEvent } from '../../jobs/append-event.ts';
import type { TxCtx } from '../../kernel/ctx.ts';
import { signalWorkflow } from '../../outbox/messages.ts';
import { secondsUntil } from './line-estimate.ts';
import { OPEN_DEPLOYMENT_STATES } from '#contract/states.ts';

interface InLine {
  deploy_id: string;
  job_id: string;
  /** Of all that wait, from 1. */
  position: number;
  /** Builds of the same account that come first. */
  ownBefore: number;
}

/** No older deployment of its agent is undecided. `d` is the deployment. */
export function oldestOpen(query: Knex.QueryBuilder, tx: Knex): void {
  void query.whereNotExists(
    tx('deployments as o').whereRaw('o.agent_id = d.agent_id and o.number < d.number').whereIn('o.state', OPEN_DEPLOYMENT_STATES).select(tx.raw('1')),
  );
}

/** Those that could be built now, in the order they will be, if nobody comes. */
async function buildLine(tx: Knex): Promise<InLine[]> {
  // When it could be built: it was there, the account had its last turn, and the agent's version before was
  // decided.
  const could = tx('deployments as d')
    .where({ 'd.state': 'queued' })
    .whereNull('d.image')
    .modify((query) => oldestOpen(query, tx))
    .select('d.deploy_id', 'd.job_id', 'd.created_by', 'd.created_at')
    .select(
      tx.raw(
        `greatest(d.created_at,
           (select max(b.build_ended_at) from deployments b where b.created_by = d.created_by),
           (select max(coalesce(o.live_at, o.ended_at)) from deployments o where o.agent_id = d.agent_id and o.number < d.number)) as since`,
      ),
    );
  const turns = tx
    .from(could.as('c'))
    .select('deploy_id', 'job_id', 'since', 'created_at')
    .select(
      tx.raw(
        `row_number() over (partition by created_by order by since, created_at, deploy_id) - 1
         + (select count(*) from deployments b where b.created_by = c.created_by and b.state = 'building' and b.image is null) as own_before`,
      ),
    );
  const rows = await tx
    .from(turns.as('t'))
    .orderBy(['own_before', 'since', 'created_at', 'deploy_id'])
    .select<{ deploy_id: string; job_id: string; own_before: string }[]>('deploy_id', 'job_id', 'own_before');
  return rows.map(({ own_before, ...row }, index) => ({ ...row, ownBefore: Number(own_before), position: index + 1 }));
}

/**
 * Whether this deployment may be built now. Where not, its log says how far it is in the line. The caller's
 * transaction takes the place.
 */
export async function hasBuilder(tx: Knex.Transaction, deployId: string, buildsAtOnce: number): Promise<boolean> {
  // One decides at a time: two that saw the same free builder would both take it.
  await tx.raw(`select pg_advisory_xact_lock(hashtext('svc.builders'))`);
  const line = await buildLine(tx);
  const mine = line.find(({ deploy_id }) => deploy_id === deployId);
  if (!mine) return false;
  const building = await tx('deployments')
    .where({ state: 'building' })
    .whereNull('image')
    .select<{ seconds: number | null }[]>(tx.raw('extract(epoch from clock_timestamp() - build_began_at)::float8 as seconds'));
  if (mine.position <= buildsAtOnce - building.length) return true;
  // Once for each change of the place: the time changes always.
  const now = { place: mine.ownBefore === 0 ? mine.position : null, own_before: mine.ownBefore };
  const last = await tx('job_events').where({ job_id: mine.job_id, kind: WAITING_EVENT }).orderBy('seq', 'desc').first('payload');
  const before = BuildLine.safeParse(last?.payload).data;
  if (before?.place === now.place && before.own_before === now.own_before) return false;
  const ahead = { position: mine.position, builders: buildsAtOnce, building: building.map((one) => one.seconds ?? 0) };
  await appendEvent(tx, mine.job_id, WAITING_EVENT, { ...now, seconds: secondsUntil({ ...ahead, typical: await typical(tx) }) });
  return false;
}

/** Seconds of a build, the median of the last ones; null: none is known. */
async function typical(tx: Knex): Promise<number | null> {
  const last = tx('deployments')
    .whereNotNull('build_ended_at')
    .whereNotNull('build_began_at')
    .whereNotNull('image')
    .orderBy('build_ended_at', 'desc')
    .limit(20);
  const [row] = await tx
    .from(last.select('build_began_at', 'build_ended_at').as('b'))
    .select<{ seconds: number | null }[]>(
      tx.raw('percentile_cont(0.5) within group (order by extract(epoch from build_ended_at - build_began_at))::float8 as seconds'),
    );
  return row?.seconds ?? null;
}

/** The others look on their own, later. */
const MOST_WOKEN = 100;

/**
 * A builder is free, or the line is shorter: who waits looks again, but for the one that was `woken` before.
 */
export async function wakeLine(ctx: TxCtx, woken?: string): Promise<void> {
  const others = (await buildLine(ctx.db)).filter(({ deploy_id }) => deploy_id !== woken);
  for (const { deploy_id } of others.slice(0, MOST_WOKEN)) await signalWorkflow(ctx, `deploy:${deploy_id}`, 'turn');
}
