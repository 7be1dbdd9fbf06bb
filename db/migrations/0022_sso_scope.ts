import type { Knex } from 'knex';

/** A session that an organization's provider made acts for that organization alone, until its person links the account. Those of before do too. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- When the person linked it to their account, in a session of their own; null: the provider's word alone leads to it.
    alter table sso_identities add column linked_at timestamptz;
    -- Made by an organization's provider, after the person had linked the account: it acts for all of it. Else for that organization alone.
    alter table web_sessions add column sso_whole_account boolean not null default false;
    alter table platform_tokens add column sso_whole_account boolean not null default false;

    -- Who had linked before. The log does not name the identity: it was made in the moment of its row there, or the link is made again.
    update sso_identities i set linked_at = i.created_at where exists (
      select 1 from audit_log a
      where a.target_id = i.user_id and a.organization_id = i.organization_id and a.action = 'organization.sso_link' and a.details ->> 'how' = 'own session'
        and a.at between i.created_at - interval '10 seconds' and i.created_at + interval '10 seconds'
    );
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    alter table platform_tokens drop column sso_whole_account;
    alter table web_sessions drop column sso_whole_account;
    alter table sso_identities drop column linked_at;
  `);
}
