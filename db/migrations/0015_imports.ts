import type { Knex } from 'knex';

/** Agents that run elsewhere, and how to reach them. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table agent_imports (
      agent_id         text primary key references agents,
      url              text not null,
      endpoint         text not null,
      protocol         text not null check (protocol in ('a2a', 'mcp', 'svc')),
      protocol_version text not null,
      remote           jsonb not null,
      security         jsonb not null default '[]',
      digest           text not null,
      probed_at        timestamptz not null default now(),
      answered_at      timestamptz not null default now(),
      unanswered_since timestamptz,
      failure          jsonb,
      next_probe_at    timestamptz not null,
      changes          jsonb not null default '[]',
      changed_at       timestamptz,
      created_at       timestamptz not null default now()
    );
    create index agent_imports_due on agent_imports (next_probe_at);

    create table agent_connections (
      connection_id   serial primary key,
      agent_id        text not null references agents,
      kind            text not null check (kind in ('api_key', 'bearer', 'mtls', 'oauth2', 'oidc')),
      scheme_name     text not null,
      state           text not null default 'ready' check (state in ('ready', 'auth_required')),
      facts           jsonb not null default '{}',
      sealed          text not null,
      version         integer not null default 1,
      expires_at      timestamptz,
      failure         jsonb,
      refreshed_at    timestamptz,
      refresher       text,
      refresher_until timestamptz,
      created_at      timestamptz not null default now(),
      updated_at      timestamptz not null default now(),
      unique (agent_id, scheme_name)
    );
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table agent_connections, agent_imports');
}
