// Uploads of large files, which go on where they broke off.
import type { Part } from '../../parts.ts';

export const uploads: Part = {
  up: `
    create table file_uploads (
      upload_id      text primary key,
      bucket         text not null,
      path           text collate "C" not null,
      owner_id       text not null references users,
      -- Stored: the file is there; the row stays for a day, for who asks how far it is.
      state          text not null check (state in ('open', 'stored')),
      size_bytes     bigint not null check (size_bytes >= 0),
      received_bytes bigint not null default 0 check (received_bytes between 0 and size_bytes),
      -- As its sender says; null: nothing was said.
      media          text,
      -- What the whole must have; null: nothing was said.
      sha256         text,
      if_match       text,
      if_none_match  text,
      created_at     timestamptz not null,
      expires_at     timestamptz not null,
      check ((state = 'stored') = (received_bytes = size_bytes))
    );
    create index file_uploads_bucket on file_uploads (bucket, created_at);
    create index file_uploads_owner on file_uploads (owner_id);
    create index file_uploads_expires on file_uploads (expires_at);

    -- What has arrived, each a content of its own until the file is stored.
    create table file_upload_parts (
      upload_id  text not null references file_uploads on delete cascade,
      start_byte bigint not null,
      size_bytes bigint not null check (size_bytes > 0),
      sha256     text not null references blobs,
      primary key (upload_id, start_byte)
    );
    create index file_upload_parts_blob on file_upload_parts (sha256);

    create function reserve_bucket() returns trigger language plpgsql as $$
    begin
      if tg_op <> 'INSERT' and old.state = 'open' then
        update buckets set reserved_files = reserved_files - 1, reserved_bytes = reserved_bytes - old.size_bytes where bucket = old.bucket;
      end if;
      if tg_op <> 'DELETE' and new.state = 'open' then
        insert into buckets as b (bucket, reserved_files, reserved_bytes) values (new.bucket, 1, new.size_bytes)
          on conflict (bucket) do update set reserved_files = b.reserved_files + 1, reserved_bytes = b.reserved_bytes + excluded.reserved_bytes;
      end if;
      return null;
    end $$;
    create trigger file_uploads_reserve after insert or delete or update of state on file_uploads
      for each row execute function reserve_bucket();
  `,
  down: `
    drop table file_upload_parts, file_uploads;
    drop function reserve_bucket;
  `,
};
