// What policies refused a run, as its receipt has it.
import type { Knex } from 'knex';

export function denialsOfRun(db: Knex, runId: string) {
  return db('policy_denials')
    .where({ run_id: runId })
    .orderBy(['created_at', 'denial_id'])
    .select('action', 'outcome', 'rule', 'resource', 'count', 'decision_id', 'policy_sha256');
}
