import type { Readable } from 'node:stream';
import type { z } from 'zod';
import { MAX_FILE_BYTES } from '#contract/wire/limits.ts';
import { type FileOut, FilePath } from '#contract/workspace/files.ts';
import { requireUser } from '../../kernel/policy.ts';
import { act, recorded } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Invalid } from '../../kernel/errors.ts';
import { type StoredBlob, storeBlob } from '../blob/store.ts';
import { bucketOf } from '../grant/bucket.ts';
import { lockBucket } from './bucket-usage.ts';
import { currentFile, putFile } from './change.ts';
import { checkConditions, type Conditions } from './conditions.ts';
import { presentFile } from './present.ts';
import { queuedTx } from './queued.ts';
import { describe } from './type.ts';

export type FilePart = { kind: 'field'; name: string; value: string } | { kind: 'file'; name: string; filename: string; media: string; stream: Readable };

/** Parts may come in any order; the content is stored while they do. */
export async function uploadFile(ctx: Ctx, parts: AsyncIterable<FilePart>, conditions: Conditions): Promise<z.infer<typeof FileOut>> {
  const user = requireUser(ctx, 'file.write');
  const form = await readForm(ctx, parts);
  const path = pathIn(form.path ?? form.filename);
  const content = { ...describe(path, form.media, form.blob.head), sha256: form.blob.sha256, size_bytes: form.blob.size_bytes };
  const place = { bucket: bucketOf(user.user_id), path, ownerId: user.user_id };
  return act(
    ctx,
    'file.write',
    requireUser,
    async (ctx) => {
      const usage = await lockBucket(ctx.db, place.bucket);
      const current = await currentFile(ctx.db, place);
      checkConditions(conditions, current?.sha256);
      return recorded(presentFile(await putFile(ctx, usage, place, current, content)));
    },
    (ctx, work) => queuedTx(ctx, place.bucket, work),
  );
}

interface Form {
  path?: string;
  filename: string;
  media: string;
  blob: StoredBlob;
}

async function readForm(ctx: Ctx, parts: AsyncIterable<FilePart>): Promise<Form> {
  let path: string | undefined;
  let file: Omit<Form, 'path'> | undefined;
  for await (const part of parts) {
    if (part.kind === 'field' && part.name === 'path') path = pathIn(part.value);
    else if (part.kind === 'field') throw wrong('file', 'must be a file: send it with a filename');
    else if (part.name !== 'file') throw wrong(part.name, 'must be text');
    else if (file) throw wrong('file', 'send one file at a time');
    else file = { filename: part.filename, media: part.media, blob: await storeBlob(ctx, part.stream, MAX_FILE_BYTES) };
  }
  if (!file) throw wrong('file', 'is missing: send the content in a form part of this name');
  return { ...file, ...(path === undefined ? {} : { path }) };
}

function pathIn(text: string): string {
  const parsed = FilePath.safeParse(text);
  if (parsed.success) return parsed.data;
  throw wrong('path', parsed.error.issues[0]?.message ?? 'is not a path');
}

function wrong(part: string, message: string): Invalid {
  return new Invalid([{ path: ['body', part], message }]);
}
