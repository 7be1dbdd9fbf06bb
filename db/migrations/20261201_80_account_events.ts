import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- Tells an account that one of its things changed: whose, of which kind, which. Heard by core/jobs/account-news.ts; kept nowhere.
    -- Arguments: the kind, the column of the owner, the column of the id.
    create function tell_account() returns trigger language plpgsql as $$
      declare
        row_now jsonb := to_jsonb(new);
      begin
        perform pg_notify('svc_account', concat_ws(' ', row_now->>tg_argv[1], tg_argv[0], row_now->>tg_argv[2]));
        return null;
      end $$;
    create trigger jobs_made_told after insert on jobs for each row execute function tell_account('job', 'owner_id', 'job_id');
    create trigger jobs_told after update of state on jobs for each row
      when (old.state is distinct from new.state) execute function tell_account('job', 'owner_id', 'job_id');
    create trigger waits_made_told after insert on waits for each row execute function tell_account('wait', 'asked_of', 'wait_id');
    create trigger waits_told after update of state on waits for each row
      when (old.state is distinct from new.state) execute function tell_account('wait', 'asked_of', 'wait_id');
    -- Not of every call, which counts itself there.
    create trigger agents_made_told after insert on agents for each row execute function tell_account('agent', 'owner_id', 'name');
    create trigger agents_told after update of name, endpoint_url, description, version, tags, visibility, reuse_policy, card, live_deploy_id, deleted_at, unanswered on agents
      for each row
      when ((old.name, old.endpoint_url, old.description, old.version, old.tags, old.visibility, old.reuse_policy, old.card, old.live_deploy_id, old.deleted_at, old.unanswered)
        is distinct from (new.name, new.endpoint_url, new.description, new.version, new.tags, new.visibility, new.reuse_policy, new.card, new.live_deploy_id, new.deleted_at, new.unanswered))
      execute function tell_account('agent', 'owner_id', 'name');

    create function tell_of_deployment() returns trigger language plpgsql as $$
      begin
        perform pg_notify('svc_account', concat_ws(' ', owner_id, 'deployment', new.deploy_id)) from agents where agent_id = new.agent_id;
        return null;
      end $$;
    create trigger deployments_made_told after insert on deployments for each row execute function tell_of_deployment();
    create trigger deployments_told after update of state on deployments for each row
      when (old.state is distinct from new.state) execute function tell_of_deployment();
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop trigger deployments_told on deployments;
    drop trigger deployments_made_told on deployments;
    drop function tell_of_deployment();
    drop trigger agents_told on agents;
    drop trigger agents_made_told on agents;
    drop trigger waits_told on waits;
    drop trigger waits_made_told on waits;
    drop trigger jobs_told on jobs;
    drop trigger jobs_made_told on jobs;
    drop function tell_account();
  `);
}
