// Events of the payment processor: accepted by their signature and age, and only as a sign that something
// changed.
import { MAX_EVENT_BYTES, type ProcessorEventOut } from '#contract/money/billing.ts';
import { SIGNATURE_HEADER, WebhookRefused } from '#drivers/payments/port.ts';
import type { z } from 'zod';
import type { Ctx } from '../../kernel/ctx.ts';
import { BadRequest, Forbidden, PayloadTooLarge } from '../../kernel/errors.ts';
import { paymentsOf } from './ask.ts';
import { follow, type ProcessorFollowers } from './follow.ts';

export interface ProcessorWebhook {
  headers: Record<string, string | undefined>;
  body: AsyncIterable<Uint8Array>;
}

/**
 * Answers once what the event says is written. @throws Forbidden event_signature_invalid, event_too_old;
 * BadRequest event_invalid; Unavailable
 */
export async function takeProcessorEvent(
  ctx: Ctx,
  { headers, body }: ProcessorWebhook,
  followers: ProcessorFollowers,
): Promise<z.infer<typeof ProcessorEventOut>> {
  const payments = paymentsOf(ctx);
  const raw = await bytesOf(body);
  const event = await payments.readEvent({ raw, signature: headers[SIGNATURE_HEADER] ?? '', now: ctx.clock() }).catch((error: unknown) => {
    throw error instanceof WebhookRefused ? REFUSALS[error.why]() : error;
  });
  const known = await ctx.db('processor_events').where({ event_id: event.id }).first('event_id');
  const outcome = known ? 'replayed' : await follow(ctx, { payments, followers, about: event.about, event });
  return { taken: outcome === 'taken', reason: outcome === 'replayed' ? 'replayed' : event.about === undefined ? 'not_followed' : 'taken' };
}

const REFUSALS: Record<WebhookRefused['why'], () => Error> = {
  signature: () => new Forbidden('event_signature_invalid', 'The signature is not that of this body: set the same signing secret at both ends'),
  age: () =>
    new Forbidden(
      'event_too_old',
      'The event was signed more than five minutes before or after the present time of this server: set the clock of the server, and send the event again',
    ),
  content: () => new BadRequest('event_invalid', 'This is no event of the payment processor'),
};

async function bytesOf(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body) {
    length += piece.length;
    if (length > MAX_EVENT_BYTES) throw new PayloadTooLarge('body_too_large', `An event may have at most ${MAX_EVENT_BYTES} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
