// Contents by their own hash: the same bytes are one object, however often and by whomever they are stored.
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { writeFlushed } from '../../../drivers/storage/scratch.ts';
import type { Stored } from '../../../drivers/storage/port.ts';
import type { Ctx } from '../../ctx.ts';
import { BadRequest, DomainError, PayloadTooLarge } from '../../errors.ts';

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
 * Streams the content into place; its name is what we hashed, never what somebody said. It is kept for a day even when nothing comes to
 * refer to it, so the caller's transaction may take its time.
 * The stream is left open when it is refused half-way: a request that was destroyed could not be answered.
 * @throws PayloadTooLarge content_too_large, BadRequest upload_broken
 */
export async function storeBlob(ctx: Ctx, body: Readable, maxBytes: number): Promise<StoredBlob> {
  // It may break off while nobody reads it yet; whoever reads it then is told.
  body.on('error', () => undefined);
  const file = join(await ctx.drivers.storage.scratch(), `blob-${randomUUID()}`);
  const head: Uint8Array[] = [];
  let seen = 0;
  const watch = (bytes: Uint8Array): void => {
    if (seen < HEAD_BYTES) head.push(bytes.subarray(0, HEAD_BYTES - seen));
    seen += bytes.length;
    if (seen > maxBytes) throw new PayloadTooLarge('content_too_large', `This is larger than ${maxBytes} bytes, the most one file may have: split it`);
  };
  try {
    const stored = await writeFlushed(file, body.iterator({ destroyOnReturn: false }), watch);
    await keep(ctx, file, stored);
    return { ...stored, head: Buffer.concat(head) };
  } catch (error) {
    throw brokenOff(body, error) ? new BadRequest('upload_broken', 'The upload broke off before its end: send it again') : error;
  } finally {
    await rm(file, { force: true });
  }
}

/**
 * The row first, the object after it: a sweeper that was about to delete the same content holds the row until the object is gone, and
 * one that comes later finds the row young.
 */
async function keep(ctx: Ctx, file: string, stored: Stored): Promise<void> {
  const { sha256, size_bytes } = stored;
  const now = new Date(ctx.clock());
  await ctx.db('blobs').insert({ sha256, size_bytes, created_at: now, used_at: now }).onConflict('sha256').merge({ used_at: now });
  const key = blobKey(sha256);
  if ((await ctx.drivers.storage.size(key)) === size_bytes) return;
  await ctx.drivers.storage.adopt(key, file, stored);
}

function brokenOff(body: Readable, error: unknown): boolean {
  if (error instanceof DomainError) return false;
  return body.errored === error || (error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE');
}
