// Promotion is frozen while a critical finding is open: publishing, becoming public, upgrades of the runtime, updates of the template.
import type { Knex } from 'knex';
import { Conflict } from '../../kernel/errors.ts';

/** Critical, confirmed and open. Word for word the condition of the index agent_findings_open. */
export const FREEZES = { state: 'open', severity: 'critical', confirmed: true } as const;

/** The oldest finding that freezes the agent; undefined: none does. */
export async function freezingFinding(db: Knex, agentId: string): Promise<{ finding_id: string; title: string; rule: string } | undefined> {
  return db('agent_findings')
    .where({ agent_id: agentId, ...FREEZES })
    .orderBy('finding_id')
    .first('finding_id', 'title', 'rule');
}

/** @throws Conflict promotion_frozen, with the finding */
export async function requireNotFrozen(db: Knex, agentId: string, name: string): Promise<void> {
  const finding = await freezingFinding(db, agentId);
  if (!finding) return;
  const { finding_id, title, rule } = finding;
  throw new Conflict(
    'promotion_frozen',
    `${name} has an open critical finding, ${finding_id} (${title}): fix it and answer it, or accept it with a reason (svc findings answer)`,
    { finding_id, rule },
  );
}
