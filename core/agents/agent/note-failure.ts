// Failures by the agent's own fault, of agents with self-healing. Nothing is written for a call that
// succeeds.
import type { Knex } from 'knex';

/** Of a call. What cannot be noted is not worth the answer to its caller. */
export async function noteFault({ db }: { db: Knex }, route: { deployId: string; selfHealing?: true | undefined }, code: string): Promise<void> {
  if (route.selfHealing === true) await noteFailure(db, route.deployId, code).catch(() => undefined);
}

/** More in an hour say nothing new: a caller who makes an agent fail on purpose fills no table. */
const mostPerHour = 100;

/**
 * One more failure, unless `everySeconds` have not passed since the last: for what is looked at again and
 * again.
 */
export async function noteFailure(db: Knex, deployId: string, code: string, { everySeconds = 0 }: { everySeconds?: number } = {}): Promise<void> {
  await db.raw(
    `insert into agent_failures (deploy_id, code)
     select d.deploy_id, :code from deployments d
     where d.deploy_id = :deployId and d.state = 'live' and d.manifest \\? 'self_healing'
       and not exists (select 1 from agent_failures f where f.deploy_id = d.deploy_id and f.at > now() - make_interval(secs => :everySeconds))
       and (select count(*) from (
         select 1 from agent_failures f where f.deploy_id = d.deploy_id and f.at > now() - interval '1 hour' limit :most
       ) recent) < :most`,
    { deployId, code: code.slice(0, 128), everySeconds, most: mostPerHour },
  );
}
