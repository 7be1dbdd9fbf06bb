// The embedded identity provider.
import type { Part } from '../../parts.ts';

export const provider: Part = {
  up: `
    -- What the embedded identity provider remembers (oidc-provider's adapter contract).
    create table oidc_payload (
      kind        text not null,
      id          text not null,
      payload     jsonb not null,
      grant_id    text,
      user_code   text,
      uid         text,
      expires_at  timestamptz,
      consumed_at timestamptz,
      primary key (kind, id)
    );
    create index oidc_payload_grant on oidc_payload (grant_id);
    create index oidc_payload_user_code on oidc_payload (user_code);
    create index oidc_payload_uid on oidc_payload (uid);
    create index oidc_payload_expiry on oidc_payload (expires_at);

    -- Local accounts of the embedded identity provider.
    create table idp_accounts (
      account_id     text primary key,
      email          text not null unique,
      name           text not null,
      operator       boolean not null default false,
      password_hash  text not null,
      -- False for accounts that people made themselves: nobody has checked that the address is theirs.
      email_verified boolean not null default true
    );
  `,
  down: `
    drop table idp_accounts, oidc_payload;
  `,
};
