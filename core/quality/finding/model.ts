// A finding: what it is identified by, and what it keeps from happening.
import { createHash } from 'node:crypto';
import type { FindingOut } from '#contract/quality/findings.ts';
import type { AgentFindingsRow } from '#db/tables.ts';

export interface NewFinding {
  agentId: string;
  deployId: string;
  jobId: string | null;
  source: AgentFindingsRow['source'];
  severity: AgentFindingsRow['severity'];
  rule: string;
  skill: string | null;
  title: string;
  message: string;
  /** null: it is read in the source. */
  reproduction: object | null;
  confirmed: boolean;
  /**
   * What makes it the same in another version, beside source, rule and skill: the argument or the place it is
   * at.
   */
  at: string;
}

export function hashOfFinding({ source, rule, skill, at }: Pick<NewFinding, 'source' | 'rule' | 'skill' | 'at'>): string {
  return createHash('sha256')
    .update(JSON.stringify([source, rule, skill, at]))
    .digest('hex');
}

export type FindingView = AgentFindingsRow & { agent_name: string; version: string | null };

export function presentFinding(row: FindingView): FindingOut {
  return {
    finding_id: row.finding_id,
    agent: row.agent_name,
    source: row.source,
    deploy_id: row.deploy_id,
    version: row.version,
    job_id: row.job_id,
    hash: row.hash,
    severity: row.severity,
    rule: row.rule,
    skill: row.skill,
    title: row.title,
    message: row.message,
    reproduction: shownCalls(row.reproduction),
    confirmed: row.confirmed,
    freezes: row.state === 'open' && row.severity === 'critical' && row.confirmed,
    state: row.state,
    answer: row.answer,
    reason: row.reason,
    answered_by: row.answer === null ? null : row.answered_by === null ? 'platform' : 'owner',
    answered_at: row.answered_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  };
}

const MAX_SHOWN_TEXT = 400;
const MAX_SHOWN_CALLS = 12;

/** Of what review loops store (core/studio/review-loop/attack/case.ts): the calls, as a person reads them. */
function shownCalls(stored: unknown): FindingOut['reproduction'] {
  if (stored === null) return null;
  // Safe: the writers of reproductions store cases.
  const { skill, attack, parallel, calls } = stored as { skill: string; attack: string; parallel?: boolean; calls: { args: unknown; grant: string }[] };
  const shown = calls.slice(0, MAX_SHOWN_CALLS).map(({ args, grant }) => ({ args: objectOf(cut(args, 0)), grant }));
  return { skill, attack, parallel: parallel === true, calls: shown };
}

function cut(value: unknown, depth: number): unknown {
  if (typeof value === 'string' && value.length > MAX_SHOWN_TEXT) return `${value.slice(0, MAX_SHOWN_TEXT)}… (${value.length} characters)`.toWellFormed();
  if (typeof value !== 'object' || value === null) return value;
  if (depth > 8) return '…';
  if (Array.isArray(value)) return [...value.slice(0, 20).map((one) => cut(one, depth + 1)), ...(value.length > 20 ? [`… (${value.length} items)`] : [])];
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, 50)
      .map(([key, member]) => [key.slice(0, MAX_SHOWN_TEXT), cut(member, depth + 1)]),
  );
}

// Safe: arguments are an object, and cutting leaves it one.
const objectOf = (value: unknown): Record<string, unknown> => value as Record<string, unknown>;
