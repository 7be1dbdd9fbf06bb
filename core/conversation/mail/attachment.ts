// A file of a mail, in the workspace of the agent's owner.
import { Readable } from 'node:stream';
import { FilePath } from '#contract/workspace/files.ts';
import type { ParsedMail } from '#drivers/mail/parse.ts';
import { system } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { PayloadTooLarge } from '../../kernel/errors.ts';
import { storeBlob } from '../../workspace/blob/store.ts';
import { lockBucket } from '../../workspace/file/bucket-usage.ts';
import { currentFile, putFile } from '../../workspace/file/change.ts';
import { queuedTx } from '../../workspace/file/queued.ts';
import { describe } from '../../workspace/file/type.ts';
import { bucketOf } from '../../workspace/grant/bucket.ts';

type MailFile = ParsedMail['attachments'][number];

/** Its path; null where the workspace has no room. The same file again is written once. */
export async function storeAttachment(ctx: Ctx, { ownerId, path, file }: { ownerId: string; path: string; file: MailFile }): Promise<string | null> {
  if (!FilePath.safeParse(path).success) return null;
  const blob = await storeBlob(ctx, Readable.from([file.content]), file.content.length);
  const place = { bucket: bucketOf(ownerId), path, ownerId };
  const content = { ...describe(path, file.contentType, blob.head), sha256: blob.sha256, size_bytes: blob.size_bytes };
  try {
    // The owner gave the agent its mailbox.
    await queuedTx(ctx, place.bucket, (ctx) =>
      system(ctx, async (ctx) => {
        const usage = await lockBucket(ctx.db, place.bucket);
        const current = await currentFile(ctx.db, place);
        if (current?.sha256 !== blob.sha256) await putFile(ctx, usage, place, current, content);
      }),
    );
    return path;
  } catch (error) {
    if (error instanceof PayloadTooLarge) return null;
    throw error;
  }
}
