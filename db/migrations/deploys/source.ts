// Source over git: tokens for one repository, pushes, and webhooks that were taken.
import type { Part } from '../../parts.ts';

export const source: Part = {
  up: `
    -- Each opens one repository and nothing else; only hashes are kept.
    create table source_tokens (
      token_name text primary key,
      token_hash text not null unique,
      agent_id   text not null references agents,
      owner_id   text not null references users,
      mode       text not null check (mode in ('read', 'write')),
      -- Who got it: a service of the platform, the owner's git, the owner's editor.
      holder     text not null check (holder in ('service', 'git', 'editor')),
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      revoked_at timestamptz
    );
    create index source_tokens_agent on source_tokens (agent_id, holder, created_at);
    create index source_tokens_owner on source_tokens (owner_id);
    create index source_tokens_expiry on source_tokens (expires_at);

    -- Pushes to the default branch whose deployment is not queued yet: a process that ends in between leaves its row to housekeeping.
    create table source_pushes (
      agent_id   text primary key references agents,
      commit_id  text not null,
      token_name text not null,
      pushed_at  timestamptz not null default now()
    );
    create index source_pushes_age on source_pushes (pushed_at);

    -- What a webhook sends twice does nothing the second time.
    create table scm_deliveries (
      delivery_id text primary key,
      received_at timestamptz not null default now()
    );
    create index scm_deliveries_age on scm_deliveries (received_at);
  `,
  down: `
    drop table scm_deliveries, source_pushes, source_tokens;
  `,
};
