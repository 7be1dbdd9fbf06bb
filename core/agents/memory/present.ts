import type { z } from 'zod';
import type { MemoryOut } from '#contract/agents/agent-memory.ts';
import type { AgentMemoriesRow } from '#db/tables.ts';

export type MemoryRow = Omit<AgentMemoriesRow, 'search' | 'search_text'>;

/** Without what only search reads. */
export const memoryColumns = [
  'agent_id', 'user_id', 'namespace', 'key', 'shared', 'value', 'metadata', 'version', 'size_bytes', 'expires_at', 'created_at', 'updated_at',
] as const; // prettier-ignore

export function presentMemory(row: MemoryRow): z.infer<typeof MemoryOut> {
  return {
    namespace: row.namespace,
    key: row.key,
    shared: row.shared,
    value: row.value,
    metadata: metadataOf(row.metadata),
    version: row.version,
    size_bytes: row.size_bytes,
    expires_at: row.expires_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

// Safe: only putMemory writes it, from a record.
function metadataOf(value: unknown): Record<string, unknown> {
  return value as Record<string, unknown>;
}

/** Of one answer's values together; the first entry is there whatever its size. */
const maxAnswerBytes = 4 * 1024 * 1024;

/** How many of the rows, in their order, an answer holds. */
export function fittingMemories(rows: readonly { size_bytes: number }[]): number {
  let bytes = 0;
  const tooMuch = rows.findIndex(({ size_bytes }, at) => (bytes += size_bytes) > maxAnswerBytes && at > 0);
  return tooMuch < 0 ? rows.length : tooMuch;
}
