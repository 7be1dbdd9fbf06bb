// How an agent answered when it was looked at: each change, and counts by the hour. Kept for 30 days.
import type { Part } from '../../parts.ts';

export const health: Part = {
  up: `
    create table agent_health_hours (
      agent_id   text not null references agents on delete cascade,
      hour       timestamptz not null,
      looks      integer not null default 0,
      -- Of those: it answered, and said that it is well.
      well       integer not null default 0 check (well <= looks),
      counted_at timestamptz not null,
      primary key (agent_id, hour)
    );
    create index agent_health_hours_old on agent_health_hours (hour);

    -- The newest one says how it is now, and is kept for as long as it does.
    create table agent_health_changes (
      change_id bigserial primary key,
      agent_id  text not null references agents on delete cascade,
      at        timestamptz not null,
      is_well   boolean not null,
      -- In the agent's words, or why it could not be asked; null when it is well.
      reason    text,
      check (is_well = (reason is null))
    );
    create index agent_health_changes_agent on agent_health_changes (agent_id, at desc, change_id desc);
    create index agent_health_changes_old on agent_health_changes (at);
  `,
  down: `
    drop table agent_health_changes, agent_health_hours;
  `,
};
