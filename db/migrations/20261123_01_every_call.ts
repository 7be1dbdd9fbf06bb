// Every call of another agent leaves a row, also one without a grant; and what was called with is kept, so that it can be made again.
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- A call without a grant of its user's has a key of its own: the run's id, written as a grant's.
    alter table subagent_runs drop constraint subagent_runs_grant_id_fkey, drop constraint subagent_runs_rerun_of_fkey;
    alter table subagent_runs add column args jsonb;
    create or replace function note_subagent_run() returns trigger language plpgsql as $$
    begin
      insert into subagent_runs as s (grant_id, owner_id, agent_name, skill, caller_agent, caller_run_id, source, run_id, started_at)
        select coalesce(g.grant_id, 'grt_' || substr(new.run_id, 5)), new.user_id, new.agent_name, new.skill, p.agent_name, new.parent_run_id, 'call',
          new.run_id, new.started_at
        from (select 1) one
        left join grants g on g.grant_id = new.grant_id and g.owner_id = new.user_id
        left join runs p on p.run_id = new.parent_run_id
      on conflict (grant_id) do update
        set run_id = excluded.run_id, skill = excluded.skill, calls = s.calls + 1, source = 'call', reported = null, args = null;
      return null;
    end $$;
    drop trigger runs_subagent on runs;
    create trigger runs_subagent after insert on runs
      for each row when (new.parent_run_id is not null and new.user_id is not null) execute function note_subagent_run();
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop trigger runs_subagent on runs;
    delete from subagent_runs s where not exists (select from grants g where g.grant_id = s.grant_id);
    update subagent_runs s set rerun_of = null where not exists (select from grants g where g.grant_id = s.rerun_of);
    alter table subagent_runs drop column args, add foreign key (grant_id) references grants, add foreign key (rerun_of) references grants;
    create or replace function note_subagent_run() returns trigger language plpgsql as $$
    begin
      insert into subagent_runs as s (grant_id, owner_id, agent_name, skill, caller_agent, caller_run_id, source, run_id, started_at)
        select new.grant_id, new.user_id, new.agent_name, new.skill, p.agent_name, new.parent_run_id, 'call', new.run_id, new.started_at
        from grants g left join runs p on p.run_id = new.parent_run_id
        where g.grant_id = new.grant_id and g.owner_id = new.user_id
      on conflict (grant_id) do update set run_id = excluded.run_id, skill = excluded.skill, calls = s.calls + 1, source = 'call', reported = null;
      return null;
    end $$;
    create trigger runs_subagent after insert on runs
      for each row when (new.grant_id is not null and new.parent_run_id is not null) execute function note_subagent_run();
  `);
}
