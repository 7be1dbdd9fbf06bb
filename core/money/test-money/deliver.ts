// The processor for test money delivers its events as a real one does: signed, to the same verb, again until
// they are taken.
import type { Ctx } from '../../kernel/ctx.ts';
import { SIGNATURE_HEADER } from '#drivers/payments/port.ts';
import { processorFollowers } from '../followers.ts';
import { takeProcessorEvent } from '../processor/webhook.ts';

const A_ROUND = 100;

/** @throws what the last event failed with; all of them were tried */
export async function deliverTestEvents(ctx: Ctx): Promise<void> {
  const pages = ctx.drivers.payments?.testPages;
  if (!pages) return;
  let failed: { with: unknown } | undefined;
  for (const { id, raw, signature } of await pages.due(ctx.clock(), A_ROUND)) {
    try {
      await takeProcessorEvent(ctx, { headers: { [SIGNATURE_HEADER]: signature }, body: once(raw) }, processorFollowers);
      await pages.delivered(id);
    } catch (error) {
      await pages.failed(id, ctx.clock());
      failed = { with: error };
    }
  }
  if (failed) throw failed.with;
}

/** Months that are over are billed, then what happened is said. */
export async function tickTestMoney(ctx: Ctx): Promise<void> {
  await ctx.drivers.payments?.testPages?.tick(ctx.clock());
  await deliverTestEvents(ctx);
}

export async function sweepTestMoney(ctx: Ctx): Promise<void> {
  await ctx.drivers.payments?.testPages?.sweep(ctx.clock());
}

async function* once(raw: Buffer): AsyncGenerator<Uint8Array> {
  yield raw;
}
