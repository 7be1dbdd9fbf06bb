// Databases of accounts: project → branch → role → login, and bindings to variables of agents.
import type { Part } from '../../parts.ts';

export const databases: Part = {
  up: `
    create table database_projects (
      project_id  text primary key,
      owner_id    text not null references users,
      name        text not null,
      state       text not null check (state in ('pending', 'ready', 'failed', 'deleting', 'deleted')),
      error       jsonb,
      -- First part of all names on the server: it says nothing of the account.
      server_name text not null unique,
      -- Where it is. Null until its first branch is ready.
      host        text,
      port        int,
      tls         boolean,
      -- What its size leaves its roles.
      allowance   text not null default 'full' check (allowance in ('full', 'delete_only', 'closed')),
      created_at  timestamptz not null,
      updated_at  timestamptz not null
    );
    create unique index database_projects_name on database_projects (owner_id, name) where state <> 'deleted';
    create index database_projects_owner on database_projects (owner_id, created_at desc, project_id desc);

    create table database_branches (
      branch_id        text primary key,
      project_id       text not null references database_projects,
      name             text not null,
      parent_branch_id text references database_branches,
      database_name    text not null unique,
      state            text not null check (state in ('pending', 'ready', 'failed', 'deleting', 'deleted')),
      error            jsonb,
      size_bytes       bigint not null default 0,
      connections      int not null default 0,
      measured_at      timestamptz,
      created_at       timestamptz not null,
      updated_at       timestamptz not null
    );
    create unique index database_branches_name on database_branches (project_id, name) where state <> 'deleted';
    create index database_branches_project on database_branches (project_id, created_at);
    create index database_branches_parent on database_branches (parent_branch_id);
    create index database_branches_waiting on database_branches (created_at) where state in ('pending', 'deleting');

    create table database_roles (
      role_id    text primary key,
      branch_id  text not null references database_branches,
      access     text not null check (access in ('read_only', 'read_write', 'owner')),
      -- Of its password.
      rotated_at timestamptz not null,
      unique (branch_id, access)
    );

    -- A role signs in by one of these; by two while its password is rotated.
    create table database_logins (
      login_id        text primary key,
      role_id         text not null references database_roles,
      -- Its name on the server.
      login           text not null unique,
      state           text not null check (state in ('pending', 'current', 'previous')),
      password_sealed text not null,
      created_at      timestamptz not null,
      unique (role_id, state)
    );

    create table database_bindings (
      binding_id text primary key,
      role_id    text not null references database_roles,
      agent_id   text not null references agents,
      variable   text not null,
      -- By svc.yaml.
      declared   boolean not null,
      created_at timestamptz not null,
      unique (agent_id, variable)
    );
    create index database_bindings_role on database_bindings (role_id);

    create table database_events (
      event_id   text primary key,
      project_id text not null references database_projects,
      branch     text,
      agent      text,
      kind       text not null check (kind in ('branch_pending', 'branch_ready', 'branch_failed', 'branch_deleting', 'branch_deleted', 'project_deleting', 'project_deleted', 'role_rotating', 'role_rotated', 'role_revealed', 'bound', 'unbound', 'allowance_changed')),
      detail     text,
      at         timestamptz not null
    );
    create index database_events_project on database_events (project_id, at desc, event_id desc);

    -- Workers that set databases up, and the server that each reaches.
    create table database_provisioners (
      node           text primary key,
      host           text not null,
      port           int not null,
      tls            boolean not null,
      server_version text,
      -- Null: it never reached the server.
      heartbeat_at   timestamptz,
      error          text,
      updated_at     timestamptz not null
    );
  `,
  down: `
    drop table database_provisioners, database_events, database_bindings, database_logins, database_roles, database_branches, database_projects;
  `,
};
