// The newest evidence that one account may see of an agent is found without passing over what belongs to others, and all kinds of it in the order of time.
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create index jobs_agent_owner on jobs (agent_id, owner_id, created_at desc, job_id desc);
    create index llm_usage_agent_user on llm_usage (agent_name, user_id, started_at desc, usage_id desc) where agent_name is not null;
    create index grants_audience_owner on grants (audience, owner_id, issued_at desc, grant_id desc);
    create index subagent_runs_agent_owner on subagent_runs (agent_name, owner_id, started_at desc, grant_id desc);
    create index subagent_runs_caller_owner on subagent_runs (caller_agent, owner_id, started_at desc, grant_id desc) where caller_agent is not null;
    drop index subagent_runs_agent, subagent_runs_caller;
    create index waits_agent_asked on waits (agent_id, asked_of, created_at desc, wait_id desc);
    drop index waits_agent_time;
    create index agent_findings_time on agent_findings (agent_id, created_at desc, finding_id desc);
    create index agent_findings_unanswered on agent_findings (agent_id, severity, created_at desc, finding_id desc) where state = 'open' and confirmed;
    create index agent_proofs_own on agent_proofs (agent_id, owner_id, created_at desc, proof_id desc);
    create index agent_proofs_shown on agent_proofs (agent_id, created_at desc, proof_id desc) where published and token is not null;
    create index evaluations_time on evaluations (agent_id, created_at desc, evaluation_id desc);
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop index jobs_agent_owner, llm_usage_agent_user, grants_audience_owner, agent_findings_time, agent_findings_unanswered, agent_proofs_own, agent_proofs_shown, evaluations_time;
    create index subagent_runs_agent on subagent_runs (agent_name, started_at desc, grant_id desc);
    create index subagent_runs_caller on subagent_runs (caller_agent, started_at desc, grant_id desc) where caller_agent is not null;
    create index waits_agent_time on waits (agent_id, created_at desc, wait_id desc);
    drop index subagent_runs_agent_owner, subagent_runs_caller_owner, waits_agent_asked;
  `);
}
