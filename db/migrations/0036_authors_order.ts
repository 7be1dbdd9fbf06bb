import type { Knex } from 'knex';

/**
 * The members of what authors and callers write keep their order: cards, forms, arguments, answers, results,
 * events. `jsonb` sorts them, `json` keeps the text. Each table is rewritten once, with its indexes, under a
 * lock: nothing of the platform runs while it migrates. The largest are `job_events` and `thread_events`.
 * What is stored already stays sorted.
 */
const COLUMNS: Record<string, readonly string[]> = {
  deployments: ['card'],
  agent_imports: ['remote'],
  waits: ['request', 'resolution'],
  jobs: ['output'],
  job_events: ['payload'],
  thread_events: ['payload'],
  runs: ['args'],
  subagent_runs: ['args'],
  schedules: ['target'],
  dag_nodes: ['args'],
  bounties: ['example_input', 'example_output'],
  agent_proofs: ['args', 'result'],
  dataset_items: ['args', 'expected'],
  evaluation_results: ['args', 'expected'],
  scored_contents: ['args', 'result'],
  trial_results: ['output'],
  chat_turns: ['reply'],
  agent_memories: ['value'],
  consumer_setup_values: ['value'],
};

export async function up(db: Knex): Promise<void> {
  await change(db, 'json');
}

export async function down(db: Knex): Promise<void> {
  await change(db, 'jsonb');
}

async function change(db: Knex, type: 'json' | 'jsonb'): Promise<void> {
  // json has no equality: the trigger compares the text.
  const card = (row: string): string => (type === 'json' ? `${row}.card::text` : `${row}.card`);
  const facts = (row: string): string =>
    `${row}.name, ${row}.endpoint_url, ${row}.description, ${row}.version, ${row}.tags, ${row}.visibility, ${row}.reuse_policy, ${card(row)}, ${row}.live_deploy_id, ${row}.deleted_at, ${row}.unanswered`;
  const tables = Object.entries(COLUMNS).map(
    ([table, columns]) => `alter table ${table} ${columns.map((column) => `alter column ${column} type ${type} using ${column}::${type}`).join(', ')};`,
  );
  await db.raw(`
    drop trigger agents_told on agents;
    alter table agents alter column card type ${type} using card::${type};
    create trigger agents_told after update of name, endpoint_url, description, version, tags, visibility, reuse_policy, card, live_deploy_id, deleted_at, unanswered on agents
      for each row when ((${facts('old')}) is distinct from (${facts('new')})) execute function tell_account('agent', 'owner_id', 'name');
    ${tables.join('\n    ')}
  `);
}
