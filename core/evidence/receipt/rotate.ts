import type { Knex } from 'knex';
import { system } from '../../kernel/act.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Forbidden } from '../../kernel/errors.ts';
import { createKey, lockKeys } from './keys.ts';

/**
 * Calls that chose the old key before the rotation was committed end within this time, clocks of several
 * machines included.
 */
const inFlightMs = 60_000;

/**
 * Seals with a new key from now on; for operators, after a leak or on a schedule of their own. What the old
 * key sealed stays valid; its window ends now, but for what is being sealed at this moment. Resolves with the
 * new key's id.
 */
export async function rotateReceiptKey(ctx: Ctx): Promise<{ kid: string }> {
  const { actor } = ctx;
  if (actor.kind !== 'platform' && !(actor.kind === 'user' && actor.operator)) {
    throw new Forbidden('operator_required', 'Only an operator can rotate the receipt key');
  }
  return system(ctx, async (ctx) => {
    await lockKeys(ctx.db);
    const now = ctx.clock();
    await endOlderKeys(ctx.db, now);
    const { kid } = await createKey(ctx, now);
    await audit(ctx, 'receipt_key.rotate', { receipt_key: kid });
    return { kid };
  });
}

async function endOlderKeys(tx: Knex.Transaction, now: number): Promise<void> {
  const end = new Date(now + inFlightMs).toISOString();
  await tx('receipt_keys').where('not_after', '>', end).update({ not_after: end });
}
