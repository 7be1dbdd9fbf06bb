// What is known against an agent, and for it: findings of reviews and rehearsals, receipts, proofs. Tables
// that this installation does not have count as empty.
import type { Knex } from 'knex';
import type { Ctx } from '../../kernel/ctx.ts';
import { newId } from '../../kernel/ids.ts';
import type { StagedAgent } from './stage/model.ts';

async function has(db: Knex, table: 'agent_findings' | 'agent_proofs'): Promise<boolean> {
  const { rows } = await db.raw<{ rows: { found: boolean }[] }>(`select to_regclass(?) is not null as found`, [table]);
  return rows[0]?.found === true;
}

export function hasFindings(db: Knex): Promise<boolean> {
  return has(db, 'agent_findings');
}

/** Of an agent on a stage. */
export async function noteFinding({ db, clock }: Ctx, { agentId, deployId }: StagedAgent, severity: string): Promise<void> {
  const finding_id = newId('fnd', clock());
  await db.raw(
    `insert into agent_findings (finding_id, agent_id, deploy_id, source, hash, severity, rule, title, message, confirmed, state, created_at)
     values (:finding_id, :agentId, :deployId, 'simulation', :finding_id, :severity, 'rehearsal', 'A rehearsed finding', 'Made by a rehearsal', true, 'open', :at)`,
    { finding_id, agentId, deployId, severity, at: new Date(clock()) },
  );
}

export async function answerFindings({ db, clock }: Ctx, { agentId }: StagedAgent): Promise<void> {
  if (!(await hasFindings(db))) return;
  await db.raw(
    `update agent_findings set state = 'answered', answer = 'accepted', reason = 'rehearsal', answered_at = :at where agent_id = :agentId and state = 'open'`,
    { agentId, at: new Date(clock()) },
  );
}

/** Unanswered critical findings of the agent, and of its latest review. */
export async function criticalFindings(db: Knex, agentId: string, deployId: string | null): Promise<{ open: string[]; review: string | undefined }> {
  const open = (await hasFindings(db))
    ? await db.raw<{ rows: { finding_id: string }[] }>(
        `select finding_id from agent_findings where agent_id = ? and severity = 'critical' and state = 'open' order by finding_id limit 20`,
        [agentId],
      )
    : { rows: [] };
  const review = deployId === null ? undefined : await db('review_runs').where({ deploy_id: deployId }).where('critical_count', '>', 0).first('review_id');
  return { open: open.rows.map(({ finding_id }) => finding_id), review: review?.review_id };
}

/** How much an agent has of what was earned or given. */
export async function standingOf(
  db: Knex,
  { agentId: agent_id, name }: StagedAgent,
): Promise<Record<'receipts' | 'reviews' | 'rehearsals' | 'proofs' | 'grants', number>> {
  const count = async (query: Promise<{ count: number | string }[]>): Promise<number> => Number((await query)[0]?.count ?? 0);
  return {
    receipts: await count(db('receipts').where({ agent_id }).count('* as count')),
    reviews: await count(db('review_runs').where({ agent_id }).count('* as count')),
    rehearsals: await count(db('protocol_simulations').where({ agent_id }).count('* as count')),
    proofs: (await has(db, 'agent_proofs')) ? await proofs(db, agent_id) : 0,
    grants: await count(db('grants').where({ audience: name }).count('* as count')),
  };
}

async function proofs(db: Knex, agentId: string): Promise<number> {
  const { rows } = await db.raw<{ rows: { count: string }[] }>('select count(*) as count from agent_proofs where agent_id = ?', [agentId]);
  return Number(rows[0]?.count ?? 0);
}
