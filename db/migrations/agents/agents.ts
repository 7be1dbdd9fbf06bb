// Agents, and the words by which they are found.
import type { Part } from '../../parts.ts';

export const agents: Part = {
  up: `
    -- An agent keeps its row when it is deleted: its name stays taken for a while, its receipts stay verifiable.
    create table agents (
      agent_id         text primary key,
      name             text not null check (name ~ '^[a-z0-9-]{1,128}$'),
      owner_id         text not null references users,
      kind             text not null check (kind in ('hosted', 'registered', 'imported')),
      endpoint_url     text,
      description      text not null default '',
      version          text,
      tags             text[] not null default '{}',
      visibility       text not null default 'unlisted' check (visibility in ('public', 'unlisted')),
      reuse_policy     text not null default 'closed' check (reuse_policy in ('closed', 'forkable')),
      card             jsonb,
      skills           text[] not null default '{}',
      -- Its foreign key is added in 0013_deploys.ts.
      live_deploy_id   text,
      deploy_count     integer not null default 0,
      call_count       bigint not null default 0,
      search_text      text not null default '',
      created_at       timestamptz not null default now(),
      updated_at       timestamptz not null default now(),
      deleted_at       timestamptz,
      -- The commit that holds its source as it was generated, untouched; null: it was not generated.
      generated_commit text,
      code_editor      boolean not null default false,
      -- An imported agent that does not answer comes last in every list that is ordered by use.
      unanswered       boolean not null default false,
      -- Made once when the text changes, not for each agent that a search ranks.
      search           tsvector generated always as (to_tsvector('simple', search_text)) stored
    );
    create unique index agents_name on agents (name) where deleted_at is null;
    create index agents_tombstones on agents (name) where deleted_at is not null;
    create index agents_owner on agents (owner_id, name) where deleted_at is null;
    create index agents_live_deploy on agents (live_deploy_id);
    create index agents_listed_tags on agents using gin (tags) where deleted_at is null and visibility = 'public' and live_deploy_id is not null;
    create index agents_listed_skills on agents using gin (skills) where deleted_at is null and visibility = 'public' and live_deploy_id is not null;
    create index agents_listed_names on agents (name) where deleted_at is null and visibility = 'public' and live_deploy_id is not null;
    create index agents_public on agents (unanswered, call_count desc, name) where deleted_at is null and visibility = 'public' and live_deploy_id is not null;
    -- Search looks at what is listed. New words go into the index at once: what waits beside it is read through by every search, up to 4 MiB.
    create index agents_listed_words on agents using gin (search) with (fastupdate = off) where deleted_at is null and visibility = 'public' and live_deploy_id is not null;

    -- Words of names, tags and skills that agents ever had, for misspelt ones; only ever added to.
    create table search_words (
      word text primary key
    );
    create index search_words_trigram on search_words using gin (word gin_trgm_ops);

    -- Not of every call, which counts itself there.
    create trigger agents_made_told after insert on agents for each row execute function tell_account('agent', 'owner_id', 'name');
    create trigger agents_told after update of name, endpoint_url, description, version, tags, visibility, reuse_policy, card, live_deploy_id, deleted_at, unanswered on agents
      for each row
      when ((old.name, old.endpoint_url, old.description, old.version, old.tags, old.visibility, old.reuse_policy, old.card, old.live_deploy_id, old.deleted_at, old.unanswered)
        is distinct from (new.name, new.endpoint_url, new.description, new.version, new.tags, new.visibility, new.reuse_policy, new.card, new.live_deploy_id, new.deleted_at, new.unanswered))
      execute function tell_account('agent', 'owner_id', 'name');
  `,
  down: `
    drop table search_words, agents;
  `,
};
