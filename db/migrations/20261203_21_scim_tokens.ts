import type { Knex } from 'knex';

/** What an organization's identity provider sends to say who its people are. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table scim_tokens (
      token_id        text primary key,
      organization_id text not null references organizations,
      name            text not null,
      -- Of the whole token, base64url; the token itself is shown once and not kept.
      token_sha256    text not null unique,
      -- null: the account was purged
      created_by      text,
      created_at      timestamptz not null,
      last_used_at    timestamptz,
      -- null: it does not expire
      expires_at      timestamptz,
      revoked_at      timestamptz
    );
    create index scim_tokens_organization on scim_tokens (organization_id, created_at desc, token_id desc);
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table scim_tokens');
}
