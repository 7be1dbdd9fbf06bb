// A run, durable or plain, under way or ended, from whichever row tells of it.
import type { Knex } from 'knex';
import type { JobState } from '#contract/states.ts';
import { stateOfReceipt } from '../../evidence/receipt/run-state.ts';
import { chainAgent } from './chain-agent.ts';

export interface RunSummary {
  agent_id: string;
  agent_name: string;
  owner_id: string;
  deploy_id: string | null;
  version: string | null;
  skill: string;
  user_id: string | null;
  caller_kind: string;
  caller_agent: string | null;
  purpose: string | null;
  state: JobState;
  error_code: string | null;
  receipt_id: string | null;
  trace_id: string | null;
  root_run_id: string | null;
  started_at: Date;
  ended_at: Date | null;
}

export async function findRunRecord(db: Knex, runId: string): Promise<RunSummary | undefined> {
  return (await ofRow(db, runId)) ?? (await ofReceipt(db, runId)) ?? (await ofOpenCall(db, runId));
}

async function ofRow(db: Knex, runId: string): Promise<RunSummary | undefined> {
  const { rows } = await db.raw<{ rows: (RunSummary & { chain: string[] })[] }>(
    `select r.agent_id, r.agent_name, a.owner_id, r.deploy_id, d.version, r.skill, r.user_id, r.caller_kind, r.chain, c.purpose, r.state,
       c.payload->>'error_code' as error_code, coalesce(r.receipt_id, c.receipt_id) as receipt_id, r.trace_id, r.root_run_id, r.started_at, r.ended_at
     from runs r join agents a using (agent_id) left join deployments d on d.deploy_id = r.deploy_id
     left join lateral (select * from receipts c where c.run_id = r.run_id and c.source = 'platform' order by c.started_at limit 1) c on true
     where r.run_id = :runId`,
    { runId },
  );
  const [row] = rows;
  if (!row) return undefined;
  const { chain, ...run } = row;
  return { ...run, caller_agent: chainAgent(chain) };
}

/** One receipt each of several calls in one request: the one that did not go well counts. */
async function ofReceipt(db: Knex, runId: string): Promise<RunSummary | undefined> {
  const { rows } = await db.raw<{ rows: RunSummary[] }>(
    `select c.agent_id, a.name as agent_name, a.owner_id, c.deploy_id, c.payload->'agent'->>'version' as version, c.skill, c.caller_user_id as user_id,
       c.caller_kind, null as caller_agent, c.purpose, ${stateOfReceipt('c.status')} as state,
       c.payload->>'error_code' as error_code, c.receipt_id, c.trace_id, null as root_run_id, c.started_at, c.ended_at
     from receipts c join agents a using (agent_id) where c.run_id = :runId and c.source = 'platform'
     order by c.status = 'ok', c.started_at, c.receipt_id limit 1`,
    { runId },
  );
  return rows[0];
}

/** Few calls are open at a time. */
async function ofOpenCall(db: Knex, runId: string): Promise<RunSummary | undefined> {
  const { rows } = await db.raw<{ rows: RunSummary[] }>(
    `select a.agent_id, a.name as agent_name, a.owner_id, o.call->'route'->>'deployId' as deploy_id, o.call->'route'->>'version' as version, o.call->>'skill' as skill,
       o.call->'run'->>'user_id' as user_id, o.call->'caller'->>'kind' as caller_kind, null as caller_agent, o.call->'run'->>'purpose' as purpose,
       'running' as state, null as error_code, null as receipt_id, o.call->'run'->'trace'->>'trace_id' as trace_id, null as root_run_id,
       to_timestamp((o.call->>'startedAt')::double precision / 1000) as started_at, null as ended_at
     from open_calls o join agents a on a.agent_id = o.call->'route'->>'agentId'
     where o.call->'run'->>'run_id' = :runId limit 1`,
    { runId },
  );
  return rows[0];
}
