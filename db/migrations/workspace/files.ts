// Contents, files, the words by which they are found, and what a bucket holds.
import type { Part } from '../../parts.ts';

export const files: Part = {
  up: `
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
      bucket         text primary key,
      file_count     bigint not null default 0,
      size_bytes     bigint not null default 0,
      -- What open uploads will need, kept by the trigger below; counted as taken.
      reserved_files bigint not null default 0,
      reserved_bytes bigint not null default 0
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
  `,
  down: `
    drop table buckets, file_words, files, blobs;
    drop function count_bucket, index_words, name_words;
  `,
};
