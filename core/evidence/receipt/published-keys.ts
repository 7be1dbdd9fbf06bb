import type { z } from 'zod';
import type { ReceiptKeysOut } from '#contract/public/public.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { keyFor } from './keys.ts';

/** Every key that ever sealed a receipt, newest first. */
export async function publishedKeys(ctx: Ctx): Promise<z.infer<typeof ReceiptKeysOut>> {
  const rows = await ctx.db('receipt_keys').orderBy([
    { column: 'not_before', order: 'desc' },
    { column: 'kid', order: 'desc' },
  ]);
  const current = await keyFor(ctx.db, ctx.clock());
  return {
    keys: rows.map((row) => ({
      kid: row.kid,
      alg: 'EdDSA' as const,
      public_key: row.public_key,
      not_before: row.not_before.toISOString(),
      not_after: row.not_after.toISOString(),
      current: row.kid === current?.kid,
    })),
  };
}
