// Authenticates a run credential: the platform signed it, its run is open, its agent exists.
import type { Knex } from 'knex';
import type { Vault } from '#drivers/vault/port.ts';
import type { RunActor } from '../../kernel/ctx.ts';
import { Unauthorized } from '../../kernel/errors.ts';
import { runQueues } from '../../kernel/run-queues.ts';
import { openRunStates } from '../../kernel/run-state.ts';
import { readRunCredential } from './credential.ts';

interface ReadDeps {
  db: Knex;
  vault: Vault;
  clock: () => number;
}

/** @throws Unauthorized run_credential_invalid, the same for every reason; TooManyRequests run_busy */
export async function runCredential({ db, vault, clock }: ReadDeps, token: string): Promise<{ actor: RunActor; expiresAt: number }> {
  const read = await readRunCredential(vault, token);
  if (!read) throw refused();
  await requireOpenRun({ db, clock }, read.actor, read.expiresAt);
  return read;
}

/** @throws as runCredential */
export async function runActor(deps: ReadDeps, token: string): Promise<RunActor> {
  return (await runCredential(deps, token)).actor;
}

/** That the run may still ask something. @throws as runActor */
export async function requireOpenRun({ db, clock }: { db: Knex; clock: () => number }, actor: RunActor, expiresAt: number): Promise<void> {
  const { rows } = await runQueues(db).enter.run({ tenant: actor.owner_id, run: actor.run_id }, () => look(db, actor));
  const [found] = rows;
  if (!found || found.open === false) throw refused();
  // A run that only computed has no row; once it has a receipt it has ended. The row of a run that waits for
  // a user stays when its credential has expired.
  if (found.open === null && (found.sealed || expiresAt <= clock())) throw refused();
}

/**
 * A run without a person at the platform may wait for only its caller, for longer than a credential holds: as
 * long as its task is open.
 */
const WAITS_WITH_CALLER = `(select true from protocol_tasks t where t.run_id = :run_id and t.agent_id = :agent_id and t.user_id is null and t.state = 'open'
  and not exists (select 1 from receipts c where c.run_id = t.run_id))`;

function look(db: Knex, actor: RunActor) {
  return db
    .raw<{ rows: { open: boolean | null; sealed: boolean }[] }>(
      `select coalesce((select r.state in (${openRunStates}) from runs r where r.run_id = :run_id), ${WAITS_WITH_CALLER}) as open,
       exists (select 1 from receipts c where c.run_id = :run_id) as sealed
     from agents a
     where a.agent_id = :agent_id and a.deleted_at is null
       and exists (select 1 from instances i where i.deploy_id = :deploy_id and i.agent_id = a.agent_id and i.state in ('starting', 'serving', 'draining'))`,
      { run_id: actor.run_id, agent_id: actor.agent_id, deploy_id: actor.deploy_id },
    )
    .options({ name: 'open_run' });
}

function refused(): Unauthorized {
  return new Unauthorized('run_credential_invalid', 'this run credential is unknown, expired, or of a run that has ended');
}
