// Contents by their own hash: the same bytes are one object, however often and by whomever they are stored.
import type { Readable } from 'node:stream';
import type { StagedBlob, Stored } from '#drivers/storage/port.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { BadRequest, DomainError, PayloadTooLarge } from '../../kernel/errors.ts';

/** Bytes from the beginning that tell what a content is, and that are searched in. */
export const HEAD_BYTES = 256 * 1024;

export interface StoredBlob extends Stored {
  /** Its first bytes, HEAD_BYTES at most. */
  head: Buffer;
}

export function blobKey(sha256: string): string {
  return `cas/${sha256.slice(0, 2)}/${sha256}`;
}

/**
 * Streams the content into place; its name is what we hashed, never what somebody said. It is kept for a day
 * even when nothing comes to refer to it, so the caller's transaction may take its time.
 * The stream is left open when it is refused half-way: a request that was destroyed could not be answered.
 * @throws PayloadTooLarge content_too_large, BadRequest upload_broken
 */
export async function storeBlob(ctx: Ctx, body: Readable, maxBytes: number): Promise<StoredBlob> {
  // It may break off before it is read; the reader then gets the error.
  body.on('error', () => undefined);
  const head: Uint8Array[] = [];
  let seen = 0;
  async function* watched(): AsyncGenerator<Uint8Array> {
    for await (const piece of body.iterator({ destroyOnReturn: false })) {
      const bytes: Uint8Array = typeof piece === 'string' ? Buffer.from(piece) : piece;
      if (seen < HEAD_BYTES) head.push(bytes.subarray(0, HEAD_BYTES - seen));
      seen += bytes.length;
      if (seen > maxBytes) throw new PayloadTooLarge('content_too_large', `This is larger than ${maxBytes} bytes, the most one file may have: split it`);
      yield bytes;
    }
  }
  try {
    const staged = await ctx.drivers.storage.stage(watched());
    await keep(ctx, staged).finally(staged.drop);
    return { size_bytes: staged.size_bytes, sha256: staged.sha256, head: Buffer.concat(head) };
  } catch (error) {
    throw brokenOff(body, error) ? new BadRequest('upload_broken', 'The upload broke off before its end: send it again') : error;
  }
}

/**
 * The row first, the object after it: a sweeper that was about to delete the same content holds the row until
 * the object is gone, and one that comes later finds the row young.
 */
async function keep(ctx: Ctx, staged: StagedBlob): Promise<void> {
  const { sha256, size_bytes } = staged;
  const now = new Date(ctx.clock());
  await ctx.db('blobs').insert({ sha256, size_bytes, created_at: now, used_at: now }).onConflict('sha256').merge({ used_at: now });
  const key = blobKey(sha256);
  if ((await ctx.drivers.storage.size(key)) === size_bytes) return;
  await staged.keep(key);
}

function brokenOff(body: Readable, error: unknown): boolean {
  if (error instanceof DomainError) return false;
  return body.errored === error || (error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE');
}
