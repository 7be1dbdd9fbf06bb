import type { AgentsRow, RunsRow } from '#db/tables.ts';
import type { RunActor } from '../../kernel/ctx.ts';
import { traceOfRow } from '../../kernel/trace.ts';

/** The actor that a row describes. */
export function actorOfRun(row: RunsRow, agent: Pick<AgentsRow, 'owner_id'>): RunActor {
  return {
    kind: 'run',
    run_id: row.run_id,
    agent_id: row.agent_id,
    agent_name: row.agent_name,
    deploy_id: row.deploy_id,
    owner_id: agent.owner_id,
    skill: row.skill,
    user_id: row.user_id,
    // Of a run that a person began: whom they acted for is another account then.
    ...(row.caller_kind === 'user' && row.caller_id !== null && row.caller_id !== row.user_id ? { person_id: row.caller_id } : {}),
    caller: { kind: row.caller_kind, id: row.caller_id },
    chain: row.chain,
    parent_run_id: row.parent_run_id,
    ...(row.root_run_id === null ? {} : { root_run_id: row.root_run_id }),
    thread_id: row.thread_id,
    job_id: row.job_id,
    started_at: row.started_at.getTime(),
    ...traceOfRow(row),
  };
}
