// Sessions, codes, tokens, and to which agents a person is known.
import type { Part } from '../../parts.ts';

export const sessions: Part = {
  up: `
    -- A person's session in a browser; only the hash of what opens it is kept.
    create table web_sessions (
      session_id        text primary key,
      token_hash        text not null unique,
      user_id           text not null references users on delete cascade,
      created_at        timestamptz not null default now(),
      last_used_at      timestamptz not null default now(),
      expires_at        timestamptz not null,
      revoked_at        timestamptz,
      -- When the person proved who they are at an identity provider; null: a link of the command line tool made it.
      signed_in_at      timestamptz,
      -- The connection by which they did; null: the installation's own sign-in.
      sso_connection_id text,
      constraint web_sessions_sso check (sso_connection_id is null or signed_in_at is not null)
    );
    create index web_sessions_user on web_sessions (user_id);
    -- What housekeeping looks for.
    create index web_sessions_expiry on web_sessions (expires_at);
    create index web_sessions_sso_connection on web_sessions (sso_connection_id) where sso_connection_id is not null;

    -- Short-lived, single-use: login states, CLI exchange codes, confirmations, agent hand-off codes. Only hashes are kept.
    create table one_time_codes (
      code_hash  text primary key,
      kind       text not null check (kind in ('oidc_state', 'cli_session', 'cli_confirm', 'agent_session', 'sso_state', 'sso_token')),
      user_id    text references users on delete cascade,
      audience   text,
      payload    jsonb not null default '{}',
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      used_at    timestamptz,
      used_by    text
    );
    create index one_time_codes_expiry on one_time_codes (expires_at);
    create index one_time_codes_user on one_time_codes (user_id);

    -- Tokens the platform itself issues; only hashes are kept.
    create table platform_tokens (
      token_id          text primary key,
      token_hash        text not null unique,
      -- A visitor's session at an agent's origin and a token for an agent's tool API are two things: they open different doors.
      kind              text not null check (kind in ('user', 'platform', 'agent_session', 'agent_api')),
      user_id           text references users on delete cascade,
      agent_id          text,
      label             text not null default '',
      created_at        timestamptz not null default now(),
      expires_at        timestamptz,
      last_used_at      timestamptz,
      revoked_at        timestamptz,
      -- By which the API names a token of an agent, and the skills that it may call (null: all).
      number            serial unique,
      skills            text[],
      -- A token of an agent with a placement is an integration link; null: an API token.
      placement         text check (placement in ('header', 'url_query')),
      -- The platform routes that a service's token opens; null: all, as tokens had them that were made at set-up.
      routes            text[],
      -- As of web_sessions.
      signed_in_at      timestamptz,
      sso_connection_id text,
      constraint platform_tokens_link check (placement is null or kind = 'agent_api'),
      constraint platform_tokens_sso check (sso_connection_id is null or signed_in_at is not null)
    );
    create index platform_tokens_user on platform_tokens (user_id);
    -- What housekeeping looks for.
    create index platform_tokens_expiry on platform_tokens (expires_at) where expires_at is not null;
    create index platform_tokens_agent on platform_tokens (agent_id, kind);
    create index platform_tokens_sso_connection on platform_tokens (sso_connection_id) where sso_connection_id is not null;

    -- To which agents a person agreed that they learn who they are.
    create table agent_consents (
      user_id    text not null references users on delete cascade,
      agent_id   text not null references agents on delete cascade,
      created_at timestamptz not null default now(),
      primary key (user_id, agent_id)
    );
    create index agent_consents_agent on agent_consents (agent_id);
  `,
  down: `
    drop table agent_consents, platform_tokens, one_time_codes, web_sessions;
  `,
};
