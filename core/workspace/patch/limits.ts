// How much one run may stage: as much as its agent's card says its workspace access may come to.
import type { Knex } from 'knex';
import { z } from 'zod';
import { WorkspaceAccess } from '#contract/wire/card.ts';
import type { RunActor } from '../../kernel/ctx.ts';
import { PayloadTooLarge } from '../../kernel/errors.ts';

/** They are committed in one transaction. */
const MAX_STAGED_FILES = 2_000;

const Policy = z.object({ workspace_access: WorkspaceAccess.prefault({}) });

/**
 * Called with the bucket locked, so that two writes at once are counted together. @throws PayloadTooLarge
 * staged_too_large
 */
export async function checkStaged(tx: Knex.Transaction, runId: string, most: number): Promise<void> {
  const { rows } = await tx.raw<{ rows: { files: number; bytes: number }[] }>(
    `select count(*) as files, coalesce(sum(size_bytes), 0)::bigint as bytes from patches where run_id = :runId and state = 'staged'`,
    { runId },
  );
  const { files, bytes } = rows[0] ?? { files: 0, bytes: 0 };
  if (files > MAX_STAGED_FILES) throw new PayloadTooLarge('staged_too_many', `A run may change at most ${MAX_STAGED_FILES} files`);
  if (bytes > most) throw new PayloadTooLarge('staged_too_large', `This run's changes come to ${bytes} bytes; its agent allows ${most} (max_total_size_bytes)`);
}

/** Bytes. */
export async function stagedLimit(db: Knex, run: RunActor): Promise<number> {
  const row = await db('deployments').where({ deploy_id: run.deploy_id }).first('card');
  const parsed = Policy.safeParse(row?.card ?? {});
  return (parsed.success ? parsed.data.workspace_access : WorkspaceAccess.parse({})).max_total_size_bytes;
}
