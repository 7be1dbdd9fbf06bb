// Whose spans an export contains: an agent's, by the machine that sent it or by a run's credential; and of
// which of its runs each span is.
import type { Knex } from 'knex';
import type { Ctx, RunActor } from '../../kernel/ctx.ts';
import { Forbidden, Unauthorized } from '../../kernel/errors.ts';
import { traceIdOf, traceOfRow } from '../../kernel/trace.ts';
import { readRunCredential } from '../run/credential.ts';

/** Exporters send their spans some seconds after a run has ended; later ones are not taken. */
const LATE_MS = 600_000;

export interface Sender {
  agent: { id: string; name: string; ownerId: string };
  deployId: string;
  /** All spans are of this run; absent: each says of which. */
  runId?: string;
}

/**
 * A credential is taken for a while after its run has ended, as nothing but spans of that run can be written
 * with it.
 * @throws Unauthorized run_credential_invalid; Forbidden not_for_agents for one of another agent
 */
export async function senderOf(ctx: Pick<Ctx, 'db' | 'drivers' | 'clock'>, from: { token: string | undefined; guest: string | undefined }): Promise<Sender> {
  const machine = from.guest === undefined ? undefined : await agentAt(ctx.db, { instance_id: from.guest });
  if (from.guest !== undefined && !machine) throw new Forbidden('not_for_agents', 'this machine serves no agent');
  if (from.token === undefined) return machine ?? refuse();
  const read = await readRunCredential(ctx.drivers.vault, from.token);
  if (!read || read.actor.looks) return refuse();
  const { actor } = read;
  if (machine && machine.agent.id !== actor.agent_id) throw new Forbidden('not_for_agents', 'this credential is for a run of another agent');
  const agent = machine ?? (await agentAt(ctx.db, { agent_id: actor.agent_id }));
  if (!agent) return refuse();
  return { ...agent, deployId: actor.deploy_id, runId: actor.run_id };
}

function refuse(): never {
  throw new Unauthorized('run_credential_invalid', 'Spans are taken from the machines of agents, or with the credential of their run (x-svc-run-token)');
}

async function agentAt(db: Knex, at: { instance_id: string } | { agent_id: string }): Promise<Sender | undefined> {
  const row = await db('instances as i')
    .join('agents as a', 'a.agent_id', 'i.agent_id')
    .whereNull('a.deleted_at')
    .where('instance_id' in at ? { 'i.instance_id': at.instance_id } : { 'a.agent_id': at.agent_id })
    .first<{ agent_id: string; name: string; owner_id: string; deploy_id: string } | undefined>('a.agent_id', 'a.name', 'a.owner_id', 'i.deploy_id');
  return row && { agent: { id: row.agent_id, name: row.name, ownerId: row.owner_id }, deployId: row.deploy_id };
}

export interface TakingRun {
  runId: string;
  traceId: string;
  startedAt: Date;
  /** For whom it works. */
  userId: string | null;
}

interface AgentRunRow {
  run_id: string;
  root_run_id: string | null;
  trace_id: string | null;
  parent_span_id: string | null;
  started_at: Date;
  ended_at: Date | null;
  user_id: string | null;
}

/** Those of these runs that are of the agent, and open or ended a moment ago. */
export async function runsTaking({ db, clock }: Pick<Ctx, 'db' | 'clock'>, { agent }: Sender, runIds: readonly string[]): Promise<Map<string, TakingRun>> {
  const rows = await rowsOf(db, agent.id, runIds);
  const rest = (): string[] => runIds.filter((id) => !rows.some(({ run_id }) => run_id === id));
  if (rest().length > 0) rows.push(...(await rowsOfCalls(db, agent.id, rest())));
  // Between the two it may have ended: its receipt is there, and the note of its call gone.
  if (rest().length > 0) rows.push(...(await rowsOf(db, agent.id, rest())));
  const taking = rows.filter(({ ended_at }) => ended_at === null || ended_at.getTime() > clock() - LATE_MS);
  return new Map(taking.map((row) => [row.run_id, { runId: row.run_id, traceId: traceIdOf(actorPart(row)), startedAt: row.started_at, userId: row.user_id }]));
}

function actorPart({ run_id, root_run_id, ...row }: AgentRunRow): Pick<RunActor, 'run_id' | 'root_run_id' | 'trace'> {
  return { run_id, ...(root_run_id === null ? {} : { root_run_id }), ...traceOfRow(row) };
}

/** A run with a row has its own word; one that only computed has its receipt once it has ended. */
async function rowsOf(db: Knex, agentId: string, runIds: readonly string[]): Promise<AgentRunRow[]> {
  const { rows } = await db.raw<{ rows: AgentRunRow[] }>(
    `select run_id, root_run_id, trace_id, parent_span_id, started_at, ended_at, user_id from runs where run_id = any(:runIds) and agent_id = :agentId
     union all
     select distinct on (c.run_id) c.run_id, null, c.trace_id, c.parent_span_id, c.started_at, c.ended_at, c.caller_user_id from receipts c
     where c.run_id = any(:runIds) and c.agent_id = :agentId and c.source = 'platform' and not exists (select 1 from runs r where r.run_id = c.run_id)`,
    { runIds: [...runIds], agentId },
  );
  return rows;
}

/** While it computes, the note of its call is all there is of it. */
async function rowsOfCalls(db: Knex, agentId: string, runIds: readonly string[]): Promise<AgentRunRow[]> {
  const { rows } = await db.raw<{ rows: AgentRunRow[] }>(
    `select distinct on (1) call->'run'->>'run_id' as run_id, call->'run'->>'root_run_id' as root_run_id, call->'run'->'trace'->>'trace_id' as trace_id,
       call->'run'->'trace'->>'parent_span_id' as parent_span_id, began_at as started_at, null::timestamptz as ended_at,
       call->'run'->>'user_id' as user_id
     from open_calls where call->'run'->>'run_id' = any(:runIds) and call->'run'->>'agent_id' = :agentId`,
    { runIds: [...runIds], agentId },
  );
  return rows;
}
