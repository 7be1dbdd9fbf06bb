// Artifacts as the agent may show them to its present caller: those of its runs for the same caller.
import type { Knex } from 'knex';
import type { z } from 'zod';
import type { CallerArtifactOut, ContentOut } from '#contract/run/caller-resources.ts';
import type { Ctx, RunActor } from '../../kernel/ctx.ts';
import { newestPage } from '../../kernel/keyset.ts';
import type { Page } from '../../kernel/page.ts';
import { contentOf } from '../../workspace/file/content.ts';
import { requireRun } from '../../kernel/ensure-run.ts';
import { artifactUri } from './link.ts';
import { readArtifact } from './read.ts';

/** Newest first. An anonymous caller has none: nothing connects two anonymous calls. */
export async function listCallersArtifacts(ctx: Ctx, i: { limit: number; cursor?: string | undefined }): Promise<Page<z.infer<typeof CallerArtifactOut>>> {
  const run = requireRun(ctx);
  const query = ctx
    .db('artifacts as f')
    .where({ 'f.agent_id': run.agent_id })
    .where((own) => ofSameCaller(run, ctx.db, own))
    .select<ListedRow[]>('f.artifact_id', 'f.run_id', 'f.name', 'f.mime_type', 'f.size_bytes', 'f.created_at');
  return newestPage(query, ['f.created_at', 'f.artifact_id'], i, present);
}

/**
 * @throws NotFound artifact_not_found for what there is not and, alike, for another caller's; Gone
 * link_expired; PayloadTooLarge content_too_large
 */
export async function readCallersArtifact(
  ctx: Ctx,
  { run_id, name, token }: { run_id: string; name: string; token?: string | undefined },
): Promise<z.infer<typeof ContentOut>> {
  const run = requireRun(ctx);
  const mayRead = (visible: Knex.QueryBuilder): void => ofSameCaller(run, ctx.db, visible);
  const view = await readArtifact(ctx, { name: run.agent_name, path: `${run_id}/${name}`, token, mayRead });
  return contentOf(view, async () => `fetch it at ${await artifactUri(ctx, run.agent_name, { run_id, name })}`);
}

interface ListedRow {
  artifact_id: string;
  run_id: string;
  name: string;
  mime_type: string;
  size_bytes: number;
  created_at: Date;
}

/**
 * A user has all artifacts that were made for them; any other caller those of the runs that it called itself.
 */
function ofSameCaller({ caller, user_id, parent_run_id }: RunActor, db: Knex, query: Knex.QueryBuilder): void {
  if (parent_run_id !== null) query.whereIn('f.run_id', db('runs').where({ parent_run_id }).select('run_id'));
  else if (caller.kind === 'user' && user_id !== null) query.where('f.user_id', user_id);
  else if (caller.id !== null)
    query.whereIn('f.run_id', db('runs').where({ caller_kind: caller.kind, caller_id: caller.id, parent_run_id: null }).select('run_id'));
  else query.whereRaw('false');
}

function present({ run_id, name, mime_type, size_bytes, created_at }: ListedRow): z.infer<typeof CallerArtifactOut> {
  return { run_id, name, mime_type, size_bytes: Number(size_bytes), created_at: created_at.toISOString() };
}
