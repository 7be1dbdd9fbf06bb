// Calls through the API's processes, and calls of agents by agents.
import type { Part } from '../../parts.ts';

export const calls: Part = {
  up: `
    -- Calls on their way through a process of the API. One that dies leaves them here, and each still gets its receipt.
    create table open_calls (
      call_id    text primary key,
      process_id text not null,
      began_at   timestamptz not null default now(),
      -- What its receipt will say: SealedCall of core/runs/call.
      call       jsonb not null,
      -- Its run goes on after its caller has an answer: to be heard at its agent, by any process.
      goes_on    boolean not null default false,
      -- Set by a process that ended the call in place of its own process, which finds it here if it was only cut off.
      receipt_id text
    );

    -- Processes of the API, and when each was last there.
    create table api_processes (
      process_id text primary key,
      seen_at    timestamptz not null default now()
    );

    -- One agent called another on a user's account. A call without a grant of its user's has a key of its own: the run's id, written as a grant's.
    create table subagent_runs (
      grant_id      text primary key,
      owner_id      text not null references users,
      agent_name    text not null,
      skill         text not null,
      -- Who called: null for the user's own rerun.
      caller_agent  text,
      caller_run_id text,
      source        text not null check (source in ('call', 'reported', 'rerun')),
      -- The newest call under the grant; null for what was only reported.
      run_id        text references runs,
      calls         integer not null default 1,
      rerun_of      text,
      -- Reported calls only: others have their run.
      reported      jsonb,
      started_at    timestamptz not null,
      -- What was called with, so that it can be called again.
      args          jsonb
    );
    create index subagent_runs_owner on subagent_runs (owner_id, started_at desc, grant_id desc);
    create index subagent_runs_run on subagent_runs (run_id);
    create index subagent_runs_rerun_of on subagent_runs (rerun_of);
    -- What one account may see of an agent, without passing over what belongs to others.
    create index subagent_runs_agent_owner on subagent_runs (agent_name, owner_id, started_at desc, grant_id desc);
    create index subagent_runs_caller_owner on subagent_runs (caller_agent, owner_id, started_at desc, grant_id desc) where caller_agent is not null;

    create function note_subagent_run() returns trigger language plpgsql as $$
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
    create trigger runs_subagent after insert on runs
      for each row when (new.parent_run_id is not null and new.user_id is not null) execute function note_subagent_run();
  `,
  down: `
    drop trigger runs_subagent on runs;
    drop table subagent_runs, api_processes, open_calls;
    drop function note_subagent_run;
  `,
};
