import type { z } from 'zod';
import type { PatchOut } from '#contract/run/run-context.ts';
import type { PatchesRow as StoredRow } from '#db/tables.ts';

/** Without its text. */
export type PatchesRow = Omit<StoredRow, 'content'>;
export const PATCH_COLUMNS = [
  'patch_id',
  'bucket',
  'path',
  'operation',
  'grant_id',
  'run_id',
  'sha256',
  'size_bytes',
  'mime_type',
  'file_type',
  'base_sha256',
  'state',
  'reason',
  'created_at',
  'settled_at',
] as const;

export function presentPatch(row: PatchesRow): z.infer<typeof PatchOut> {
  const { patch_id, path, size_bytes, sha256, reason } = row;
  return { patch_id, path, operation: row.operation, size_bytes, sha256, state: row.state, reason };
}
