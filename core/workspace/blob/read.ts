import { buffer } from 'node:stream/consumers';
import type { Ctx } from '../../kernel/ctx.ts';
import { blobKey } from './store.ts';

/** Whole, in memory: for what is known to be small. */
export async function blobBytes(ctx: Ctx, sha256: string): Promise<Buffer> {
  return buffer(await ctx.drivers.storage.get(blobKey(sha256)));
}
