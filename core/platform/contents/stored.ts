// Every object that the rows of this database expect in the storage: for backups and their checks.
import type { Knex } from 'knex';
import { UNREFERENCED } from '../../workspace/blob/references.ts';

export interface StoredContent {
  key: string;
  /** Hex. */
  sha256: string;
  size_bytes: number;
  /** False: it may be absent, as nothing refers to it now. An upload broke off, or the content goes soon. */
  needed: boolean;
}

/** By key, each once. */
export async function storedContents(db: Knex): Promise<Map<string, StoredContent>> {
  const { rows } = await db.raw<{ rows: StoredContent[] }>(
    `select 'cas/' || left(b.sha256, 2) || '/' || b.sha256 as key, b.sha256, b.size_bytes, not (${UNREFERENCED}) as needed from blobs b
     union all select d.source_key, d.source_sha256, d.source_bytes, a.deleted_at is null from deployments d join agents a using (agent_id)
     union all select j.storage_key, j.sha256, j.size_bytes, of.events_state = 'archived' from job_archives j join jobs of using (job_id) where j.removed_at is null`,
  );
  return new Map(rows.map((row) => [row.key, row]));
}
