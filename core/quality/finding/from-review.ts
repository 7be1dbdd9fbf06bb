// What the review of a source says of findings: its critical ones are findings of the agent, and those that a
// newer version no longer has are fixed.
import type { ReviewFindingOut } from '#contract/quality/review-runs.ts';
import { audit } from '../../kernel/audit.ts';
import type { TxCtx } from '../../kernel/ctx.ts';
import { hashOfFinding } from './model.ts';
import { recordFinding } from './record.ts';

interface Reviewed {
  agentId: string;
  deployId: string;
  jobId: string | null;
  findings: readonly ReviewFindingOut[];
}

/**
 * In the transaction that writes the verdict. Findings that the author accepted in the source (`svc-accept`)
 * are none.
 */
export async function recordReview(ctx: TxCtx, { agentId, deployId, jobId, findings }: Reviewed): Promise<void> {
  const critical = findings.filter(({ severity, accepted }) => severity === 'critical' && accepted === null);
  const seen = new Set<string>();
  for (const { hash, rule, title, message, path, line } of critical) {
    const identity = { source: 'review_run', rule, skill: null, at: hash } as const;
    seen.add(hashOfFinding(identity));
    const place = path === null ? '' : ` (${path}${line === null ? '' : `:${line}`})`;
    await recordFinding(ctx, { ...identity, agentId, deployId, jobId, severity: 'critical', title, message: `${message}${place}`, reproduction: null, confirmed: true }); // prettier-ignore
  }
  // An older version that is reviewed late says nothing of the one that serves.
  const live = await ctx.db('agents').where({ agent_id: agentId, live_deploy_id: deployId }).first('agent_id');
  if (!live) return;
  const gone = await ctx
    .db('agent_findings')
    .where({ agent_id: agentId, source: 'review_run', state: 'open' })
    .whereNotIn('hash', [...seen])
    .update({ state: 'answered', answer: 'fixed', reason: 'The review of the live version no longer has it', answered_at: new Date(ctx.clock()) })
    .returning('finding_id');
  for (const { finding_id } of gone) await audit(ctx, 'finding.gone', { finding: finding_id }, { agent_id: agentId, deploy_id: deployId });
}
