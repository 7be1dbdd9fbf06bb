import type { Knex } from 'knex';

/** Tasks of A2A and MCP outlive the machine that began them; their push notifications are the platform's to deliver. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table protocol_tasks (
      agent_id    text not null references agents,
      task_id     text not null,
      protocol    text not null check (protocol in ('a2a', 'mcp')),
      run_id      text not null,
      -- Where it runs, or ran.
      deploy_id   text not null references deployments,
      -- Whose it is: the caller as the platform knows it, and as the agent tells its callers apart.
      user_id     text references users,
      caller_kind text not null,
      caller_id   text,
      owner_key   text not null,
      -- SHA-256 of what the caller named.
      context_key text,
      state       text not null check (state in ('open', 'ended', 'lost')),
      -- The protocol's own word.
      status      text not null,
      questions   text[] not null default '{}',
      snapshot    text not null,
      bytes       integer not null,
      created_at  timestamptz not null,
      changed_at  timestamptz not null,
      expires_at  timestamptz not null,
      primary key (agent_id, task_id)
    );
    create index protocol_tasks_changed on protocol_tasks (agent_id, changed_at desc, task_id desc);
    create index protocol_tasks_open on protocol_tasks (deploy_id) where state = 'open';
    create index protocol_tasks_run on protocol_tasks (run_id);
    create index protocol_tasks_user on protocol_tasks (user_id);
    create index protocol_tasks_expires on protocol_tasks (expires_at);

    create table task_pushes (
      agent_id   text not null,
      task_id    text not null,
      config_id  text not null,
      url        text not null,
      version    text not null check (version in ('1.0', '0.3')),
      -- What the address asks of its callers.
      sealed     text not null,
      created_at timestamptz not null,
      primary key (agent_id, task_id, config_id),
      foreign key (agent_id, task_id) references protocol_tasks on delete cascade
    );

    create table push_messages (
      message_id   bigserial primary key,
      agent_id     text not null,
      task_id      text not null,
      config_id    text not null,
      content_type text not null,
      body         text not null,
      attempts     integer not null default 0,
      due_at       timestamptz not null default now(),
      created_at   timestamptz not null default now(),
      foreign key (agent_id, task_id, config_id) references task_pushes on delete cascade
    );
    create index push_messages_config on push_messages (agent_id, task_id, config_id, message_id);
    create index push_messages_due on push_messages (due_at);
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table push_messages, task_pushes, protocol_tasks');
}
