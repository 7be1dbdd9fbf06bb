// Grants, and changes that agents proposed under them.
import type { Part } from '../../parts.ts';

export const grants: Part = {
  up: `
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
      -- Its foreign key is added in 0011_runs.ts.
      run_id          text,
      -- Its foreign key is added in 0008_pauses.ts.
      wait_id         text,
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
    create index grants_audience on grants (audience, issued_at desc, grant_id desc);
    -- What one account may see of an agent, without passing over what belongs to others.
    create index grants_audience_owner on grants (audience, owner_id, issued_at desc, grant_id desc);

    -- Writes under a grant wait here until they are committed or rejected outside the agent.
    create table patches (
      patch_id    text primary key,
      bucket      text not null,
      path        text collate "C" not null,
      operation   text not null check (operation in ('write', 'delete')),
      grant_id    text not null references grants,
      -- Its foreign key is added in 0011_runs.ts.
      run_id      text,
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
  `,
  down: `
    drop table patches, grants;
  `,
};
