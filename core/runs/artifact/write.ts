// What a skill made, kept for its caller.
import type { Readable } from 'node:stream';
import type { Knex } from 'knex';
import type { z } from 'zod';
import { MAX_ARTIFACT_BYTES } from '#contract/wire/limits.ts';
import type { ArtifactRef } from '#contract/wire/events.ts';
import { isPath } from '#contract/wire/patterns.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict, Invalid, PayloadTooLarge } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { system } from '../../kernel/act.ts';
import { storeBlob } from '../../workspace/blob/store.ts';
import { ensureRun } from '../../kernel/ensure-run.ts';
import { lockName } from '../../kernel/lock-name.ts';
import { artifactUri } from './link.ts';

const MAX_ARTIFACTS = 200;
/** Of all agents of one author, for all their callers. */
export const MAX_BYTES_A_DAY = 10 * 1024 * 1024 * 1024;
const DAY_MS = 24 * 3_600_000;
const MIME = /^[a-z0-9][\w!#$&^.+-]{0,126}\/[a-z0-9][\w!#$&^.+-]{0,126}(?:\s*;[\x20-\x7e]*)?$/i;

/**
 * The same name with the same content again is the same artifact: a step that is repeated after a crash
 * changes nothing.
 * @throws Conflict artifact_exists (another content), too_many_artifacts; PayloadTooLarge content_too_large,
 * too_much_today
 */
export async function writeArtifact(ctx: Ctx, i: { name: string; mime_type: string; body: Readable }): Promise<z.infer<typeof ArtifactRef>> {
  const name = nameOf(i.name);
  const mime_type = mimeOf(i.mime_type);
  const { sha256, size_bytes } = await storeBlob(ctx, i.body, MAX_ARTIFACT_BYTES);
  return system(ctx, async (ctx) => {
    const run = await ensureRun(ctx);
    // One after the other in a run, so that the count is one.
    await lockName(ctx.db, `artifacts of ${run.run_id}`);
    const ref = { name, mime_type, size_bytes, uri: await artifactUri(ctx, run.agent_name, { run_id: run.run_id, name }) };
    const there = await ctx.db('artifacts').where({ run_id: run.run_id, name }).first('sha256', 'mime_type');
    if (there) {
      if (there.sha256 === sha256 && there.mime_type === mime_type) return ref;
      throw new Conflict('artifact_exists', `This run has an artifact ${name} with another content already: give the new one another name`);
    }
    const names = await ctx.db('artifacts').where({ run_id: run.run_id }).select('name').limit(MAX_ARTIFACTS);
    if (names.length >= MAX_ARTIFACTS)
      throw new Conflict('too_many_artifacts', `A run has at most ${MAX_ARTIFACTS} artifacts: put several files into one archive`);
    await checkDay(ctx.db, run.owner_id, size_bytes, ctx.clock());
    const artifact_id = newId('art', ctx.clock());
    const { run_id, agent_id, user_id } = run;
    await ctx.db('artifacts').insert({ artifact_id, run_id, agent_id, user_id, name, mime_type, sha256, size_bytes, created_at: new Date(ctx.clock()) });
    await audit(ctx, 'artifact.write', { artifact: artifact_id }, { run_id, name, sha256, size_bytes });
    return ref;
  });
}

/** Counted without a lock: two writes at the same moment may exceed it by one file. */
async function checkDay(tx: Knex.Transaction, ownerId: string, bytes: number, now: number): Promise<void> {
  const { rows } = await tx.raw<{ rows: { bytes: number }[] }>(
    `select coalesce(sum(f.size_bytes), 0)::bigint as bytes from agents a join artifacts f using (agent_id) where a.owner_id = :ownerId and f.created_at > :since`,
    { ownerId, since: new Date(now - DAY_MS) },
  );
  if ((rows[0]?.bytes ?? 0) + bytes > MAX_BYTES_A_DAY)
    throw new PayloadTooLarge('too_much_today', `One author's agents may store ${MAX_BYTES_A_DAY} bytes of artifacts a day: try again tomorrow, or store less`);
}

/** A file's name: one segment of a path, 255 bytes at most. */
function nameOf(text: string): string {
  const name = text.normalize('NFC');
  if (isPath(name) && !name.includes('/') && Buffer.byteLength(name) <= 255) return name;
  throw new Invalid([
    { path: ['params', 'name'], message: "is not a file's name: no '/', '\\', '*', '?' or control characters, not '.' or '..', 255 bytes at most" },
  ]);
}

function mimeOf(text: string): string {
  if (MIME.test(text)) return text;
  throw new Invalid([{ path: ['query', 'mime_type'], message: 'is not a MIME type: write it like image/png' }]);
}
