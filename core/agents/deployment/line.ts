// The line for a builder: owners take turns, so that one owner's ten builds wait behind another's one. A restart builds nothing and does not wait.
import type { Knex } from 'knex';
import { appendEvent } from '../../jobs/append-event.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { signalWorkflow } from '../../outbox/messages.ts';
import { openDeployments } from './model.ts';

/** Event of a deployment's log: `{ "place": 2 }`, from 1, each time it has changed. */
export const WAITING_EVENT = 'waiting';

interface InLine {
  deploy_id: string;
  job_id: string;
  place: number;
}

/** No older deployment of its agent is undecided. `d` is the deployment. */
export function oldestOpen(query: Knex.QueryBuilder, tx: Knex): void {
  void query.whereNotExists(
    tx('deployments as o').whereRaw('o.agent_id = d.agent_id and o.number < d.number').whereIn('o.state', openDeployments).select(tx.raw('1')),
  );
}

/**
 * Those that could be built now, in the order they will be: each owner's first, then each owner's second. What is being built counts as a turn;
 * among equals the owner who deployed less in the last hour is first.
 */
async function buildLine(tx: Knex): Promise<InLine[]> {
  const turns = tx('deployments as d')
    .where({ 'd.state': 'queued' })
    .whereNull('d.image')
    .modify((query) => oldestOpen(query, tx))
    .select('d.deploy_id', 'd.job_id', 'd.created_at')
    .select(
      tx.raw(
        `row_number() over (partition by d.created_by order by d.created_at, d.deploy_id)
         + (select count(*) from deployments b where b.created_by = d.created_by and b.state = 'building' and b.image is null) as turn`,
      ),
      tx.raw(
        `(select count(*) from deployments b where b.created_by = d.created_by and b.state <> 'queued' and b.created_at > now() - interval '1 hour') as recent`,
      ),
    );
  const rows = await tx
    .from(turns.as('t'))
    .orderBy(['turn', 'recent', 'created_at', 'deploy_id'])
    .select<{ deploy_id: string; job_id: string }[]>('deploy_id', 'job_id');
  return rows.map((row, index) => ({ ...row, place: index + 1 }));
}

/** Whether this deployment may be built now. Where not, its log says how far it is in the line. The caller's transaction takes the place. */
export async function hasBuilder(tx: Knex.Transaction, deployId: string, buildsAtOnce: number): Promise<boolean> {
  // One decides at a time: two that saw the same free builder would both take it.
  await tx.raw(`select pg_advisory_xact_lock(hashtext('svc.builders'))`);
  const line = await buildLine(tx);
  const mine = line.find(({ deploy_id }) => deploy_id === deployId);
  if (!mine) return false;
  const building = await tx('deployments').where({ state: 'building' }).whereNull('image').count<{ count: string }[]>('* as count').first();
  if (mine.place <= buildsAtOnce - Number(building?.count ?? 0)) return true;
  await tellPlace(tx, mine);
  return false;
}

async function tellPlace(tx: Knex.Transaction, { job_id, place }: InLine): Promise<void> {
  const said = await tx('job_events').where({ job_id, kind: WAITING_EVENT }).orderBy('seq', 'desc').first('payload');
  if (placeOf(said?.payload) !== place) await appendEvent(tx, job_id, WAITING_EVENT, { place });
}

const placeOf = (payload: unknown): unknown => (typeof payload === 'object' && payload !== null && 'place' in payload ? payload.place : undefined);

/** More look by themselves, later. */
const MOST_WOKEN = 100;

/** A builder is free, or the line is shorter: who waits looks again, but for the one that was `woken` before. */
export async function wakeLine(tx: Knex.Transaction, ctx: Ctx, woken?: string): Promise<void> {
  const others = (await buildLine(tx)).filter(({ deploy_id }) => deploy_id !== woken);
  for (const { deploy_id } of others.slice(0, MOST_WOKEN)) await signalWorkflow(tx, ctx, `deploy:${deploy_id}`, 'turn');
}
