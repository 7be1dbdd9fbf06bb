// Promotion is frozen while a critical finding is open: publishing, becoming public, upgrades of the runtime,
// updates of the template.
import type { Knex } from 'knex';

/** Critical, confirmed and open. Word for word the condition of the index agent_findings_open. */
export const FREEZES = { state: 'open', severity: 'critical', confirmed: true } as const;

/** The oldest finding that freezes the agent; undefined: none does. */
export async function freezingFinding(db: Knex, agentId: string): Promise<{ finding_id: string; title: string; rule: string } | undefined> {
  return db('agent_findings')
    .where({ agent_id: agentId, ...FREEZES })
    .orderBy('finding_id')
    .first('finding_id', 'title', 'rule');
}
