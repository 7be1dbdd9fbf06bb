// What becomes of causes, beside the proposals that are there: new ones, those that hold no longer, those
// that are left as they are. Pure.
import type { StudioProposalsRow } from '#db/tables.ts';
import { type Cause, type Evidence, fingerprintOf } from './cause.ts';
import { isWorse } from './thresholds.ts';

type Known = Pick<StudioProposalsRow, 'proposal_id' | 'agent_id' | 'state' | 'severity' | 'evidence' | 'source_head_sha' | 'fingerprint' | 'expires_at'>;

export interface Looked {
  /** Open ones, and those that a person decided lately, the newest first. */
  known: readonly Known[];
  causes: readonly Cause[];
  /** By id of those agents that were looked at: the newest commit of the source. */
  heads: ReadonlyMap<string, string | null>;
  /** Ids of agents with open proposals that no longer serve. */
  gone: ReadonlySet<string>;
  now: number;
}

export interface ProposalDiff {
  create: Cause[];
  expire: { proposal_id: string; reason: string }[];
}

export function diffProposals({ known, causes, heads, gone, now }: Looked): ProposalDiff {
  const keyOf = (agentId: string, fingerprint: string): string => `${agentId} ${fingerprint}`;
  const causesByKey = new Map(causes.map((cause) => [keyOf(cause.agent.agent_id, fingerprintOf(cause)), cause]));
  const expire: ProposalDiff['expire'] = [];
  const left = new Map(causesByKey);
  for (const { state, ...one } of known) {
    const key = keyOf(one.agent_id, one.fingerprint);
    const cause = causesByKey.get(key);
    const reason = state === 'open' ? whyOver(one, cause, { heads, gone, now }) : undefined;
    if (reason !== undefined) expire.push({ proposal_id: one.proposal_id, reason });
    // Open and still right; or a person has said what they think of it, and it is not worse since then.
    else if (state === 'open' || (cause && !grew(cause, one))) left.delete(key);
  }
  return { create: [...left.values()], expire };
}

function whyOver(one: Omit<Known, 'state'>, cause: Cause | undefined, { heads, gone, now }: Pick<Looked, 'heads' | 'gone' | 'now'>): string | undefined {
  if (one.expires_at.getTime() <= now) return 'Its time is over';
  if (gone.has(one.agent_id)) return 'The agent no longer serves';
  // It was not looked at this time: nothing new is known.
  if (!heads.has(one.agent_id)) return undefined;
  if (!cause) return 'Its cause is gone';
  if (grew(cause, one)) return 'It got worse; there is a new proposal';
  return heads.get(one.agent_id) === one.source_head_sha ? undefined : 'The source has changed; there is a new proposal';
}

/** It is more severe, or there are findings or advisories that the other one does not name. */
function grew(cause: Cause, than: Pick<Known, 'severity' | 'evidence'>): boolean {
  // Safe: look() writes lists of evidence.
  const named = new Set((than.evidence as Evidence[]).map(({ id }) => id));
  const isNews = ({ kind, id }: Evidence): boolean => (kind === 'finding' || kind === 'advisory') && id !== null && !named.has(id);
  return isWorse(cause.severity, than.severity) || cause.evidence.some(isNews);
}
