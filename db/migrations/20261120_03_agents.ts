import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table agents (
      agent_id       text primary key,
      name           text not null check (name ~ '^[a-z0-9-]{1,128}$'),
      owner_id       text not null references users,
      kind           text not null check (kind in ('hosted', 'registered', 'imported')),
      endpoint_url   text,
      description    text not null default '',
      version        text,
      tags           text[] not null default '{}',
      visibility     text not null default 'unlisted' check (visibility in ('public', 'unlisted')),
      reuse_policy   text not null default 'closed' check (reuse_policy in ('closed', 'forkable')),
      card           jsonb,
      skills         text[] not null default '{}',
      live_deploy_id text,
      deploy_count   integer not null default 0,
      call_count     bigint not null default 0,
      search_text    text not null default '',
      created_at     timestamptz not null default now(),
      updated_at     timestamptz not null default now(),
      deleted_at     timestamptz
    );
    create unique index agents_name on agents (name) where deleted_at is null;
    create index agents_tombstones on agents (name) where deleted_at is not null;
    create index agents_owner on agents (owner_id, name) where deleted_at is null;
    create index agents_public on agents (call_count desc, name) where deleted_at is null and visibility = 'public' and live_deploy_id is not null;
    create index agents_search on agents using gin (to_tsvector('simple', search_text));
    create index agents_trigram on agents using gin (search_text gin_trgm_ops);
    create index agents_tags on agents using gin (tags);
    create index agents_skills on agents using gin (skills);

    create table deployments (
      deploy_id     text primary key,
      agent_id      text not null references agents,
      number        integer not null,
      state         text not null check (state in ('queued', 'building', 'starting', 'verifying', 'live', 'superseded', 'failed', 'cancelled')),
      job_id        text not null unique references jobs,
      created_by    text not null references users,
      version       text,
      entrypoint    text not null,
      manifest      jsonb not null,
      public        boolean,
      source_key    text not null,
      source_sha256 text not null,
      source_bytes  bigint not null,
      source_commit text,
      image         text,
      image_bytes   bigint,
      card          jsonb,
      warnings      jsonb not null default '[]',
      error         jsonb,
      created_at    timestamptz not null default now(),
      live_at       timestamptz,
      ended_at      timestamptz,
      unique (agent_id, number)
    );
    create index deployments_open on deployments (agent_id, number) where state in ('queued', 'building', 'starting', 'verifying');
    create unique index deployments_one_live on deployments (agent_id) where state = 'live';
    create index deployments_created_by on deployments (created_by);
    alter table agents add foreign key (live_deploy_id) references deployments (deploy_id);
    create index agents_live_deploy on agents (live_deploy_id);

    create table instances (
      instance_id    text primary key,
      deploy_id      text not null references deployments,
      agent_id       text not null references agents,
      node           text not null,
      state          text not null check (state in ('starting', 'serving', 'draining', 'stopped')),
      api_key_sealed text not null,
      runtime        text,
      created_at     timestamptz not null default now(),
      stopped_at     timestamptz
    );
    create index instances_deploy on instances (deploy_id);
    create index instances_agent on instances (agent_id) where state <> 'stopped';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table agents drop constraint agents_live_deploy_id_fkey; drop table instances, deployments, agents');
}
