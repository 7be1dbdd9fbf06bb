// All rules over one project: findings, ordered and bounded, and what they come to.
import { createHash } from 'node:crypto';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { MAX_FINDINGS, type ReviewFindingOut } from '#contract/quality/review-runs.ts';
import { FINDING_SEVERITIES, type FindingSeverity } from '#contract/states.ts';
import type { ReviewedProject } from './project.ts';
import type { RuleFinding, ReviewRule } from './rule.ts';
import { REVIEW_RULES } from './rules/index.ts';

export interface ReviewVerdict {
  state: 'passed' | 'warning' | 'failed';
  summary: string;
  findings: ReviewFindingOut[];
  counts: Record<FindingSeverity, number>;
}

/** Of one rule; beyond, more of the same say nothing new. */
const maxPerRule = 50;

export async function judgeProject(project: ReviewedProject, rules: readonly ReviewRule[] = REVIEW_RULES): Promise<ReviewVerdict> {
  const findings: ReviewFindingOut[] = [];
  let more = 0;
  for (const rule of rules) {
    // Other reviews and heartbeats of this process have their turn between rules.
    await yieldToOthers();
    let of = 0;
    for (const finding of rule.find(project)) {
      if ((of += 1) <= maxPerRule) findings.push(presented(rule, finding, project));
      else more += 1;
    }
  }
  const ordered = findings.toSorted((a, b) => FINDING_SEVERITIES.indexOf(a.severity) - FINDING_SEVERITIES.indexOf(b.severity));
  const count = (severity: FindingSeverity): number => ordered.filter((one) => one.severity === severity && one.accepted === null).length;
  const counts = { critical: count('critical'), warning: count('warning'), info: count('info') };
  const accepted = ordered.filter((one) => one.accepted !== null).length;
  const left = more + Math.max(0, ordered.length - MAX_FINDINGS);
  return {
    state: counts.critical > 0 ? 'failed' : counts.warning > 0 ? 'warning' : 'passed',
    summary: summaryOf(counts, accepted, left),
    findings: ordered.slice(0, MAX_FINDINGS),
    counts,
  };
}

function presented({ id }: ReviewRule, { severity, path, line, title, message }: RuleFinding, project: ReviewedProject): ReviewFindingOut {
  const hash = createHash('sha256')
    .update(JSON.stringify([severity, id, path, title, message]))
    .digest('hex');
  return { hash, severity, rule: id, path, line, title, message, accepted: acceptedAt(project, id, path, line) };
}

const ACCEPT = /svc-accept:\s*([a-z-]+)\s*(.{0,200}?)\s*(?:\*\/|-->)?\s*$/;

/** `svc-accept: <rule> <why>` on the line, or the line before; without a why it accepts nothing. */
function acceptedAt({ files }: ReviewedProject, rule: string, path: string | null, line: number | null): string | null {
  if (path === null || line === null) return null;
  const lines = files.find((file) => file.path === path)?.lines ?? [];
  for (const text of [lines[line - 1], lines[line - 2]]) {
    const [, named, why] = ACCEPT.exec(text ?? '') ?? [];
    if (named === rule && why !== undefined && why !== '') return why;
  }
  return null;
}

function summaryOf(counts: Record<FindingSeverity, number>, accepted: number, left: number): string {
  const parts = FINDING_SEVERITIES.filter((severity) => counts[severity] > 0).map((severity) => `${counts[severity]} ${severity}`);
  const countText = parts.length === 0 ? 'Nothing found' : parts.join(', ');
  return [countText, ...(accepted > 0 ? [`${accepted} accepted`] : []), ...(left > 0 ? [`${left} more are not shown`] : [])].join('; ');
}
