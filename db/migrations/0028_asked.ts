import type { Knex } from 'knex';

/** A question is put to the caller, or within the account that owns the agent: to it, to named people, to a role. An agent keeps things for all. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table waits
      -- Whom within asked_of; caller: of the account that the run works for.
      add column asked_kind text not null default 'caller' check (asked_kind in ('caller', 'owner', 'people', 'role')),
      add column asked_role text check (asked_role in ('owner', 'admin', 'developer', 'operator', 'auditor', 'billing')),
      -- Persons: of the account asked_of; and others to whom the agent had given scopes, who act for themselves.
      add column asked_people text[] not null default '{}',
      add column asked_guests text[] not null default '{}',
      -- Persons who began the run: they answer only what they are named for.
      add column barred text[] not null default '{}',
      add constraint waits_asked_kind check ((asked_kind = 'role') = (asked_role is not null));
    create index waits_guests on waits using gin (asked_guests) where state = 'pending' and asked_guests <> '{}';

    create function tell_guests() returns trigger language plpgsql as $$
      begin
        perform pg_notify('svc_account', concat_ws(' ', guest, 'wait', new.wait_id)) from unnest(new.asked_guests) guest;
        return null;
      end $$;
    create trigger waits_made_told_guests after insert on waits for each row when (new.asked_guests <> '{}') execute function tell_guests();
    create trigger waits_told_guests after update of state on waits for each row
      when (old.state is distinct from new.state and new.asked_guests <> '{}') execute function tell_guests();

    -- Shared: user_id is the agent's owner, and all runs of the agent have it.
    alter table agent_memories add column shared boolean not null default false;
    alter table agent_memories drop constraint agent_memories_pkey;
    alter table agent_memories add primary key (agent_id, user_id, shared, namespace, key);
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    delete from agent_memories where shared;
    alter table agent_memories drop constraint agent_memories_pkey;
    alter table agent_memories drop column shared;
    alter table agent_memories add primary key (agent_id, user_id, namespace, key);
    drop trigger waits_told_guests on waits;
    drop trigger waits_made_told_guests on waits;
    drop function tell_guests();
    alter table waits drop constraint waits_asked_kind, drop column barred, drop column asked_guests, drop column asked_people, drop column asked_role, drop column asked_kind;
  `);
}
