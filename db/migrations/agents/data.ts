// What an agent keeps for its owner and for the people who use it.
import type { Part } from '../../parts.ts';

export const data: Part = {
  up: `
    -- What an agent remembers for one person. Keys sort as bytes, so that pages and prefixes do not depend on a locale.
    create table agent_memories (
      agent_id    text not null references agents,
      user_id     text not null references users,
      namespace   text collate "C" not null,
      key         text collate "C" not null,
      value       jsonb not null,
      metadata    jsonb not null default '{}',
      version     bigint not null default 1,
      size_bytes  integer not null,
      -- Key, texts of the value and of the metadata, as far as search looks.
      search_text text not null,
      search      tsvector generated always as (to_tsvector('simple', search_text)) stored,
      expires_at  timestamptz,
      created_at  timestamptz not null default now(),
      updated_at  timestamptz not null default now(),
      primary key (agent_id, user_id, namespace, key)
    );
    create index agent_memories_user on agent_memories (user_id);
    create index agent_memories_expiry on agent_memories (expires_at) where expires_at is not null;

    -- Values an agent's owner gave it; nothing but the vault can read them.
    create table agent_secrets (
      agent_id     text not null references agents,
      name         text not null,
      version      integer not null default 1,
      value_sealed text not null,
      -- { host, header, scheme }: the way out of the agent's machine adds it to requests; the machine itself never has it.
      inject       jsonb,
      created_at   timestamptz not null default now(),
      updated_at   timestamptz not null default now(),
      primary key (agent_id, name)
    );

    -- What somebody gave an agent to work with for them. A secret field has value_sealed, any other has value.
    create table consumer_setup_values (
      agent_id     text not null references agents,
      user_id      text not null references users,
      field_name   text not null,
      value        jsonb,
      value_sealed text,
      size_bytes   integer not null,
      updated_at   timestamptz not null default now(),
      primary key (agent_id, user_id, field_name),
      check ((value is null) <> (value_sealed is null))
    );
    create index consumer_setup_values_user on consumer_setup_values (user_id);

    create table installed_agents (
      user_id      text not null references users,
      agent_id     text not null references agents,
      installed_at timestamptz not null default now(),
      primary key (user_id, agent_id)
    );
    create index installed_agents_agent on installed_agents (agent_id);
  `,
  down: `
    drop table installed_agents, consumer_setup_values, agent_secrets, agent_memories;
  `,
};
