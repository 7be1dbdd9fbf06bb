// A dev box for each owner and agent, and what opens its tunnel for a short time.
import type { Part } from '../../parts.ts';

export const devBoxes: Part = {
  up: `
    create table dev_boxes (
      box_id          text primary key,
      owner_id        text not null references users on delete cascade,
      agent_id        text not null references agents on delete cascade,
      state           text not null default 'stopped' check (state in ('starting', 'running', 'suspended', 'stopped')),
      host_key        text not null,
      host_key_sealed text not null,
      created_at      timestamptz not null default now(),
      used_at         timestamptz not null default now(),
      unique (owner_id, agent_id)
    );
    create index dev_boxes_agent on dev_boxes (agent_id);

    create table dev_box_sessions (
      session_id text primary key,
      box_id     text not null references dev_boxes on delete cascade,
      user_id    text not null references users on delete cascade,
      token_hash text not null unique,
      public_key text not null,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null
    );
    create index dev_box_sessions_box on dev_box_sessions (box_id);
    create index dev_box_sessions_user on dev_box_sessions (user_id);
    create index dev_box_sessions_end on dev_box_sessions (expires_at);
  `,
  down: `
    drop table dev_box_sessions, dev_boxes;
  `,
};
