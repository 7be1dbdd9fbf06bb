// Keeps this host's machines and our rows in step: what no row wants is stopped and deleted, what drains too
// long is stopped.
import type { Ctx } from '../../kernel/ctx.ts';
import { longAgo } from '../../kernel/lease.ts';
import { forgetImages } from './image-nodes.ts';
import { markStopped, RUNS_IN_MACHINES } from './instance.ts';
import { keepSuperseded } from './retention.ts';
import { OPEN_DEPLOYMENT_STATES } from '#contract/states.ts';

/** A drain whose workflow has ended. */
const drainSeconds = 120;
/** Requests that were under way when the agent was deleted. */
const deletedSeconds = 2;
/** A run may wait for a person for 30 days; longer no machine is kept for one. */
const machineRetentionDays = 31;

/** Runs that were begun in a machine of that deployment and have not ended. */
const runsInMachine = (of: 'd' | 'i'): string => `select 1 from ${RUNS_IN_MACHINES} r where r.deploy_id = ${of}.deploy_id`;

/**
 * Instances of this host whose time is over: of a deleted agent, of a deployment that never went live, or
 * drained long enough.
 */
async function instancesOver({ db }: Ctx, node: string): Promise<Set<string>> {
  const { rows } = await db.raw<{ rows: { instance_id: string }[] }>(
    `select i.instance_id from instances i join deployments d using (deploy_id) join agents a on a.agent_id = d.agent_id
     where i.node = :node and i.state in ('starting', 'draining') and d.ended_at is not null
       and (${longAgo('a.deleted_at', deletedSeconds)}
         or d.state in ('failed', 'cancelled')
         or (${longAgo('d.ended_at', drainSeconds)}
           and (d.ended_at < now() - interval '${machineRetentionDays} days' or not exists (${runsInMachine('d')}))))`,
    { node },
  );
  return new Set(rows.map((row) => row.instance_id));
}

/** Resolves with what went. */
export async function reapHost(ctx: Ctx, node: string): Promise<{ stopped: string[]; deleted: string[] }> {
  const images = await ctx.db.raw<{ rows: { image: string }[] }>(
    `select distinct image from (
       select d.image, d.state, row_number() over (partition by d.agent_id, d.state order by max(d.number) desc) as age
       from deployments d join agents a using (agent_id)
       where d.image is not null and a.deleted_at is null
         -- A restart supersedes its own image: that one is kept anyway.
         and not (d.state = 'superseded' and exists (
           select 1 from deployments l where l.agent_id = d.agent_id and l.state = 'live' and l.image = d.image
         ))
       group by d.agent_id, d.image, d.state
       -- Of a machine that sleeps while its runs wait, too.
       union all
       select d.image, 'live', 1 from instances i join deployments d using (deploy_id) where i.state <> 'stopped' and d.image is not null
       -- Built by a run of the studio that has not deployed it yet.
       union all
       select s.built->>'image', 'live', 1 from studio_runs s where s.ended_at is null and s.built is not null
     ) recent
     where state = 'live' or state = any(:open) or (state = 'superseded' and age <= :keep)`,
    { open: OPEN_DEPLOYMENT_STATES, keep: keepSuperseded },
  );
  const over = await instancesOver(ctx, node);
  // A machine that starts while we ask is not ours to judge this time.
  const started_before = ctx.clock();
  const rows = await ctx
    .db('instances as i')
    .where({ node })
    .whereNot({ state: 'stopped' })
    .select<{ instance_id: string; with_runs: boolean }[]>('instance_id', ctx.db.raw(`exists (${runsInMachine('i')}) as with_runs`));
  const instances = rows.filter(({ instance_id }) => !over.has(instance_id));
  const went = await ctx.drivers.runtime.keepOnly({
    instances: instances.map((row) => row.instance_id),
    images: images.rows.map((row) => row.image),
    started_before,
    with_runs: instances.filter((row) => row.with_runs).map((row) => row.instance_id),
  });
  // Only now: a host that did not answer has stopped nothing.
  for (const id of over) await markStopped(ctx.db, id);
  await forgetImages(ctx.db, went.deleted, node);
  return went;
}
