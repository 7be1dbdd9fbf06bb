import type { z } from 'zod';
import type { AgentImportFacts } from '#contract/imports/imports.ts';
import type { AgentImportsRow } from '#db/tables.ts';
import { storedFault } from '../../kernel/errors.ts';

export type ImportFacts = z.infer<typeof AgentImportFacts>;
type Shown = Pick<
  AgentImportsRow,
  'url' | 'endpoint' | 'protocol' | 'protocol_version' | 'probed_at' | 'answered_at' | 'unanswered_since' | 'failure' | 'changes' | 'changed_at'
>;

export function presentImport(row: Shown): ImportFacts {
  return {
    url: row.url,
    endpoint: row.endpoint,
    protocol: row.protocol,
    protocol_version: row.protocol_version,
    probed_at: row.probed_at.toISOString(),
    answered_at: row.answered_at.toISOString(),
    unanswered_since: row.unanswered_since?.toISOString() ?? null,
    failure: storedFault(row.failure),
    changes: changesOf(row.changes),
    changed_at: row.changed_at?.toISOString() ?? null,
  };
}

/** As a lateral join of the agent's row has it: instants as text. */
export function presentJoined(imported: unknown): ImportFacts | null {
  if (typeof imported !== 'object' || imported === null) return null;
  const row = joinedRow(imported);
  const instant = (text: string): Date => new Date(text);
  return presentImport({
    ...row,
    probed_at: instant(row.probed_at),
    answered_at: instant(row.answered_at),
    unanswered_since: row.unanswered_since === null ? null : instant(row.unanswered_since),
    changed_at: row.changed_at === null ? null : instant(row.changed_at),
  });
}

type Joined = Omit<Shown, 'probed_at' | 'answered_at' | 'unanswered_since' | 'changed_at'> & {
  probed_at: string;
  answered_at: string;
  unanswered_since: string | null;
  changed_at: string | null;
};

// Safe: to_jsonb of a row of agent_imports.
function joinedRow(row: object): Joined {
  return row as Joined;
}

// Safe: written by probes only, as a list of sentences.
function changesOf(changes: unknown): string[] {
  return changes as string[];
}
