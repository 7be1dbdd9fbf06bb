import type { Knex } from 'knex';

/** A person sees what is signed in as them, and ends it; what a sign-in opened ends with it. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- A program with access tokens of an identity provider. The embedded one writes the row when it issues them; for another the first request does.
    create table program_sign_ins (
      sign_in_id   text primary key default 'sgn_' || gen_random_uuid(),
      issuer       text not null,
      -- Whose, as the issuer calls them: at its first token an account may not have a row of users.
      subject      text not null,
      client_id    text not null,
      client_name  text,
      -- What its access tokens have in common at this issuer.
      family       text not null,
      -- Of the embedded provider: the row of oidc_payload (kind Grant) without which it is over.
      grant_hash   text,
      -- The one agent that it may call; null: all of the platform.
      resource     text,
      address      text,
      user_agent   text,
      created_at   timestamptz not null default now(),
      last_used_at timestamptz not null default now(),
      -- When it ends without being used; null: the issuer has not said.
      expires_at   timestamptz,
      ended_at     timestamptz,
      unique (issuer, family)
    );
    create index program_sign_ins_subject on program_sign_ins (issuer, subject);
    create index program_sign_ins_expiry on program_sign_ins (expires_at);

    alter table web_sessions add column address text, add column user_agent text;

    -- opened_by: the sign-in (of web_sessions, platform_tokens or program_sign_ins) by which it was opened, and with which it ends; null: it is not known.
    alter table platform_tokens add column address text, add column user_agent text, add column opened_by text;
    alter table dev_box_sessions
      add column person_id text references users on delete cascade,
      add column opened_by text,
      add column address text,
      add column user_agent text,
      -- A tunnel of it was open then; null: none was.
      add column last_used_at timestamptz;
    create index dev_box_sessions_person on dev_box_sessions (person_id);
    alter table source_tokens
      add column person_id text references users on delete cascade,
      add column opened_by text;
    create index source_tokens_person on source_tokens (person_id);

    -- Whether a sign-in has not ended, nor what it was opened by. Null, or of a kind that has no row: true.
    create function sign_in_holds(id text) returns boolean language plpgsql stable as $$
    begin
      case split_part(id, '_', 1)
        when 'ses' then
          return exists (select 1 from web_sessions s where s.session_id = id and s.revoked_at is null and s.expires_at > now());
        when 'tok' then
          return exists (select 1 from platform_tokens t where t.token_id = id and t.revoked_at is null and (t.expires_at is null or t.expires_at > now())
            and (t.opened_by is null or sign_in_holds(t.opened_by)));
        when 'sgn' then
          return exists (select 1 from program_sign_ins p where p.sign_in_id = id and p.ended_at is null
            and (p.grant_hash is null or exists (select 1 from oidc_payload g
              where g.kind = 'Grant' and g.id = p.grant_hash and (g.expires_at is null or g.expires_at > now()))));
        else return true;
      end case;
    end $$;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop function sign_in_holds;
    alter table source_tokens drop column person_id, drop column opened_by;
    alter table dev_box_sessions drop column person_id, drop column opened_by, drop column address, drop column user_agent, drop column last_used_at;
    alter table platform_tokens drop column address, drop column user_agent, drop column opened_by;
    alter table web_sessions drop column address, drop column user_agent;
    drop table program_sign_ins;
  `);
}
