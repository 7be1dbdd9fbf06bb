import type { AgentSessionsRow } from '#db/tables.ts';
import type { SessionHeader, SessionSeal } from '#contract/wire/session.ts';

// Safe: the column has one writer, start.ts, which writes this shape.
export function headerOf(row: Pick<AgentSessionsRow, 'header'>): SessionHeader {
  return row.header as SessionHeader;
}

// Safe: the column has one writer, seal.ts, which writes this shape.
export function lastLineOf(row: Pick<AgentSessionsRow, 'seal'>): SessionSeal | null {
  return row.seal as SessionSeal | null;
}
