import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  // Indexes that begin with the bucket, so that a search costs what its bucket holds and not what all of them hold.
  await db.raw('create extension if not exists btree_gin');
  await db.raw(`
    -- Contents by their SHA-256, once however often they are stored. Swept when nothing refers to them any more.
    create table blobs (
      sha256     text primary key check (sha256 ~ '^[0-9a-f]{64}$'),
      size_bytes bigint not null check (size_bytes >= 0),
      created_at timestamptz not null default now(),
      -- Touched by every store of the same content: the sweeper spares what is young.
      used_at    timestamptz not null default now()
    );
    create index blobs_used on blobs (used_at);

    -- A user's workspace: one bucket each, named usr:<user_id>.
    create table files (
      bucket     text not null,
      -- By bytes: lists and prefixes read the primary key in its order.
      path       text collate "C" not null,
      owner_id   text not null references users,
      sha256     text not null references blobs,
      size_bytes bigint not null,
      mime_type  text not null,
      file_type  text not null,
      -- Words of text files, bounded, for search; null for others.
      content    text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (bucket, path)
    );
    create index files_owner on files (owner_id);
    create index files_blob on files (sha256);
    create index files_path_trigram on files using gin (bucket, path gin_trgm_ops);

    -- The words of a file, kept by the trigger below: of its name (A), of the folders it is in (B), of its content (D).
    create table file_words (
      bucket text not null,
      path   text collate "C" not null,
      words  tsvector not null,
      primary key (bucket, path)
    );
    create index file_words_words on file_words using gin (bucket, words);
    -- Letters and digits only, whatever joins them; fooBar is foobar, and foo bar too.
    create function name_words(name text) returns tsvector language sql immutable strict parallel safe as $$
      select to_tsvector('simple', regexp_replace(
        name || ' ' || regexp_replace(name, '([[:lower:][:digit:]])([[:upper:]])', '\\1 \\2', 'g'), '[^[:alnum:]]+', ' ', 'g') collate "default")
    $$;
    create function index_words() returns trigger language plpgsql as $$
    begin
      if tg_op <> 'INSERT' then
        delete from file_words where bucket = old.bucket and path = old.path;
      end if;
      if tg_op <> 'DELETE' then
        insert into file_words (bucket, path, words) values (new.bucket, new.path,
          setweight(name_words(substring(new.path collate "default" from '[^/]+$')), 'A')
          || setweight(name_words(regexp_replace(new.path collate "default", '[^/]+$', '')), 'B')
          || setweight(to_tsvector('simple', regexp_replace(coalesce(new.content, ''), '[^[:alnum:]]+', ' ', 'g')), 'D'));
      end if;
      return null;
    end $$;
    create trigger files_words after insert or delete or update of bucket, path, content on files
      for each row execute function index_words();

    -- What a bucket holds, kept by the trigger below; a transaction that changes several of its files locks it first.
    create table buckets (
      bucket     text primary key,
      file_count bigint not null default 0,
      size_bytes bigint not null default 0
    );
    create function count_bucket() returns trigger language plpgsql as $$
    begin
      if tg_op <> 'INSERT' then
        update buckets set file_count = file_count - 1, size_bytes = size_bytes - old.size_bytes where bucket = old.bucket;
      end if;
      if tg_op <> 'DELETE' then
        insert into buckets as b (bucket, file_count, size_bytes) values (new.bucket, 1, new.size_bytes)
          on conflict (bucket) do update set file_count = b.file_count + 1, size_bytes = b.size_bytes + excluded.size_bytes;
      end if;
      return null;
    end $$;
    create trigger files_count after insert or delete or update of bucket, size_bytes on files
      for each row execute function count_bucket();

    -- Every grant that was signed: minted, delegated, or superseding another after a scope request.
    create table grants (
      grant_id        text primary key,
      parent_grant_id text references grants,
      -- mint: by its owner; delegate: by its holder, contained; extend: wider, by a person or the rules.
      kind            text not null check (kind in ('mint', 'delegate', 'extend')),
      owner_id        text not null references users,
      issuer          text not null,
      audience        text not null,
      bucket          text not null,
      mode            text not null check (mode in ('read_only', 'read_write_overlay')),
      allow_patterns  text[] not null,
      deny_patterns   text[] not null default '{}',
      outputs_prefix  text,
      depth           integer not null default 0,
      run_id          text references runs,
      wait_id         text references waits,
      reason          text,
      issued_at       timestamptz not null,
      expires_at      timestamptz not null,
      revoked_at      timestamptz,
      revoked_reason  text,
      superseded_by   text references grants
    );
    create index grants_owner on grants (owner_id, issued_at desc, grant_id desc);
    create index grants_parent on grants (parent_grant_id);
    create index grants_run on grants (run_id);
    create index grants_wait on grants (wait_id);
    create index grants_superseded on grants (superseded_by);

    -- Writes under a grant wait here until they are committed or rejected outside the agent.
    create table patches (
      patch_id    text primary key,
      bucket      text not null,
      path        text collate "C" not null,
      operation   text not null check (operation in ('write', 'delete')),
      grant_id    text not null references grants,
      run_id      text references runs,
      sha256      text references blobs,
      size_bytes  bigint not null default 0,
      mime_type   text,
      file_type   text,
      -- As in files, for the commit; gone once settled.
      content     text,
      -- Of the file when the patch was staged (null: there was none): a commit over another's change is refused.
      base_sha256 text,
      state       text not null default 'staged' check (state in ('staged', 'committed', 'rejected')),
      reason      text,
      created_at  timestamptz not null default now(),
      settled_at  timestamptz,
      check ((operation = 'delete') = (sha256 is null)),
      check ((state = 'staged') = (settled_at is null))
    );
    -- One change of a path in a run; the next write of it takes its place.
    create unique index patches_staged on patches (run_id, bucket, path) where state = 'staged';
    create index patches_run on patches (run_id);
    create index patches_grant on patches (grant_id);
    create index patches_blob on patches (sha256);
    create index patches_open on patches (created_at) where state = 'staged';
    create index patches_settled on patches (settled_at);

    create table artifacts (
      artifact_id text primary key,
      run_id      text not null references runs,
      agent_id    text not null references agents,
      user_id     text references users,
      name        text not null,
      mime_type   text not null,
      sha256      text not null references blobs,
      size_bytes  bigint not null,
      created_at  timestamptz not null default now(),
      unique (run_id, name)
    );
    create index artifacts_agent on artifacts (agent_id, created_at desc);
    create index artifacts_user on artifacts (user_id);
    create index artifacts_blob on artifacts (sha256);
    create index artifacts_created on artifacts (created_at);
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table artifacts, patches, grants, files, file_words, buckets, blobs; drop function count_bucket, index_words, name_words');
}
