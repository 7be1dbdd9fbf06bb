// Writing under a grant. In a run the change is staged, and only that run sees it until the run has ended;
// without a run it is made at once.
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { PatchOut } from '#contract/run/run-context.ts';
import { grantAllows } from '#contract/wire/containment.ts';
import { MAX_FILE_BYTES } from '#contract/wire/limits.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx, RunActor, TxCtx } from '../../kernel/ctx.ts';
import { Forbidden } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { ensureRun } from '../../kernel/ensure-run.ts';
import { storeBlob } from '../blob/store.ts';
import { lockBucket } from '../file/bucket-usage.ts';
import { currentFile, deleteFile, type NewContent, putFile } from '../file/change.ts';
import { checkConditions, type Conditions } from '../file/conditions.ts';
import { queuedTx } from '../file/queued.ts';
import { noSuchFile } from '../file/read.ts';
import { describe } from '../file/type.ts';
import { bucketOwner } from '../grant/bucket.ts';
import { type VerifiedGrant, verifyGrant } from '../grant/verify.ts';
import { requireWrite } from './by-policy.ts';
import { checkStaged, stagedLimit } from './limits.ts';
import { seenFile } from './overlay.ts';
import { PATCH_COLUMNS, presentPatch } from './present.ts';
import { notGranted } from './view.ts';

export interface Write {
  token: string;
  path: string;
  body: Readable;
  /** A content-type header. */
  mime: string | undefined;
  conditions?: Conditions;
}
type Patch = z.infer<typeof PatchOut>;

export async function writeGranted(ctx: Ctx, i: Write): Promise<Patch> {
  const verifiedGrant = await writable(ctx, i);
  await requireWrite(ctx, verifiedGrant, i.path);
  const { grant } = verifiedGrant;
  const { sha256, size_bytes, head } = await storeBlob(ctx, i.body, MAX_FILE_BYTES);
  return change(ctx, i, grant.bucket, { sha256, size_bytes, ...describe(i.path, i.mime, head) });
}

export async function deleteGranted(ctx: Ctx, i: Omit<Write, 'body' | 'mime'>): Promise<Patch> {
  const verifiedGrant = await writable(ctx, i);
  await requireWrite(ctx, verifiedGrant, i.path);
  return change(ctx, i, verifiedGrant.grant.bucket, null);
}

async function writable(ctx: Ctx, { token, path }: { token: string; path: string }): Promise<VerifiedGrant> {
  const verifiedGrant = await verifyGrant(ctx, token);
  if (verifiedGrant.grant.mode !== 'read_write_overlay')
    throw new Forbidden('grant_read_only', 'The grant is read-only: request one with mode read_write_overlay');
  if (!grantAllows(verifiedGrant.grant, path, 'write')) throw notGranted(path);
  return verifiedGrant;
}

/** `content` null: a deletion. The grant is asked again: an upload may have outlived it. */
async function change(ctx: Ctx, i: Omit<Write, 'body' | 'mime'>, bucket: string, content: NewContent | null): Promise<Patch> {
  const most = ctx.actor.kind === 'run' ? await stagedLimit(ctx.db, ctx.actor) : 0;
  // The grant is the right to it; a user writes under one of their own.
  return queuedTx(ctx, bucket, async (ctx) => {
    const run = ctx.actor.kind === 'run' ? await ensureRun(ctx) : undefined;
    const verifiedGrant = await writable(ctx, i);
    const usage = await lockBucket(ctx.db, bucket);
    const seen = await seenFile(ctx, bucket, i.path);
    if (!seen && content === null) throw noSuchFile(i.path);
    checkConditions(i.conditions ?? {}, seen?.sha256);
    const target = { path: i.path, content };
    return run ? stage(ctx, run, verifiedGrant, most, target) : commitNow(ctx, verifiedGrant, usage, target);
  });
}

interface Target {
  path: string;
  content: NewContent | null;
}

async function stage(ctx: TxCtx, run: RunActor, { grant }: VerifiedGrant, most: number, { path, content }: Target): Promise<Patch> {
  const base = await currentFile(ctx.db, { bucket: grant.bucket, path });
  // A second write of a path takes the first one's place and keeps its base: what the run first saw.
  const [row] = await ctx
    .db('patches')
    .insert({ ...fieldsOf(ctx, grant.bucket, path, content), grant_id: grant.grant_id, run_id: run.run_id, base_sha256: base?.sha256 ?? null, state: 'staged' })
    .onConflict(ctx.db.raw("(run_id, bucket, path) where state = 'staged'"))
    .merge(['operation', 'grant_id', 'sha256', 'size_bytes', 'mime_type', 'file_type', 'content', 'created_at'])
    .returning([...PATCH_COLUMNS]);
  if (!row) throw new Error('a patch that was staged has no row');
  await checkStaged(ctx.db, run.run_id, most);
  await audit(
    ctx,
    `patch.${row.operation}`,
    { patch: row.patch_id },
    {
      path: `${grant.bucket}/${path}`,
      sha256: row.sha256,
      grant_id: grant.grant_id,
      run_id: run.run_id,
    },
  );
  return presentPatch(row);
}

async function commitNow(
  ctx: TxCtx,
  { grant, row: { owner_id } }: VerifiedGrant,
  usage: Awaited<ReturnType<typeof lockBucket>>,
  { path, content }: Target,
): Promise<Patch> {
  const place = { bucket: grant.bucket, path, ownerId: bucketOwner(grant.bucket) ?? owner_id };
  const current = await currentFile(ctx.db, place);
  const fields = { ...fieldsOf(ctx, grant.bucket, path, content), content: null };
  const origin = { patch_id: fields.patch_id, grant_id: grant.grant_id, run_id: null };
  if (content) await putFile(ctx, usage, place, current, content, origin);
  else if (current) await deleteFile(ctx, current, origin);
  const [row] = await ctx
    .db('patches')
    .insert({ ...fields, grant_id: grant.grant_id, base_sha256: current?.sha256 ?? null, state: 'committed', settled_at: new Date(ctx.clock()) })
    .returning([...PATCH_COLUMNS]);
  if (!row) throw new Error('a patch that was committed has no row');
  return presentPatch(row);
}

function fieldsOf(ctx: Ctx, bucket: string, path: string, content: NewContent | null) {
  const { sha256 = null, size_bytes = 0, mime_type = null, file_type = null, content: text = null } = content ?? {};
  const operation = content ? ('write' as const) : ('delete' as const);
  const created_at = new Date(ctx.clock());
  return { patch_id: newId('ptc', ctx.clock()), bucket, path, operation, sha256, size_bytes, mime_type, file_type, content: text, created_at };
}
