// Findings are written only here. The same finding of an agent is one row, however often it is found.
import { audit } from '../../kernel/audit.ts';
import type { TxCtx } from '../../kernel/ctx.ts';
import { newId } from '../../kernel/ids.ts';
import { storableJson, storableText } from '../../kernel/storable.ts';
import { hashOfFinding, type NewFinding } from './model.ts';

export interface RecordedFinding {
  finding_id: string;
  /**
   * new · again: it was open already · back: it was answered as fixed · answered: its owner accepted it, or
   * called it a false alarm.
   */
  how: 'new' | 'again' | 'back' | 'answered';
  /** It is critical, confirmed and open. */
  freezes: boolean;
}

/**
 * In the caller's transaction. One that was answered as fixed is open again when it shows again. An
 * unconfirmed finding can become confirmed, never the other way round; a severity only grows.
 */
export async function recordFinding(ctx: TxCtx, found: NewFinding): Promise<RecordedFinding> {
  const hash = hashOfFinding(found);
  await ctx.db('agents').where({ agent_id: found.agentId }).forUpdate().first('agent_id');
  const known = await ctx.db('agent_findings').where({ agent_id: found.agentId, hash }).first();
  if (!known) return { finding_id: await insert(ctx, found, hash), how: 'new', freezes: found.severity === 'critical' && found.confirmed };
  const { finding_id } = known;
  // What was not confirmed says nothing against what a person has answered.
  const back = known.answer === 'fixed' && found.confirmed;
  const better = found.confirmed && !known.confirmed;
  const severity = found.confirmed && rank(found.severity) > rank(known.severity) ? found.severity : known.severity;
  if (known.answer !== null && !back) return { finding_id, how: 'answered', freezes: false };
  if (back || better || severity !== known.severity) {
    await ctx
      .db('agent_findings')
      .where({ finding_id })
      .update({
        severity,
        confirmed: known.confirmed || found.confirmed,
        ...(back ? { state: 'open', answer: null, reason: null, answered_by: null, answered_at: null } : {}),
        ...(back || better ? { deploy_id: found.deployId, job_id: found.jobId, ...described(found) } : {}),
      });
    await audit(ctx, back ? 'finding.reopen' : 'finding.confirm', { finding: finding_id }, { agent_id: found.agentId, rule: found.rule, severity });
  }
  return { finding_id, how: back ? 'back' : 'again', freezes: severity === 'critical' && (known.confirmed || found.confirmed) };
}

async function insert(ctx: TxCtx, found: NewFinding, hash: string): Promise<string> {
  const finding_id = newId('fnd', ctx.clock());
  const { agentId, deployId, jobId, source, severity, rule, skill, confirmed } = found;
  await ctx.db('agent_findings').insert({
    finding_id,
    agent_id: agentId,
    deploy_id: deployId,
    job_id: jobId,
    source,
    hash,
    severity,
    rule,
    skill,
    confirmed,
    ...described(found),
    state: 'open',
    created_at: new Date(ctx.clock()),
  });
  await audit(ctx, 'finding.record', { finding: finding_id }, { agent_id: agentId, deploy_id: deployId, source, rule, severity, confirmed });
  return finding_id;
}

function described({ title, message, reproduction }: NewFinding) {
  return {
    title: storableText(title).slice(0, 200),
    message: storableText(message).slice(0, 4000),
    reproduction: reproduction === null ? null : storableJson(reproduction),
  };
}

function rank(severity: NewFinding['severity']): number {
  return ['info', 'warning', 'critical'].indexOf(severity);
}
