// Events of Stripe: signed over the bytes as they came, by any of the secrets in force.
import Stripe from 'stripe';
import { EVENT_TOLERANCE_S, type PaymentEvent, type SubjectKind, WebhookRefused, type WebhookRequest } from '../port.ts';
import { idOf, ms } from './client.ts';

/** @throws WebhookRefused */
export async function readStripeEvent(client: Stripe, of: WebhookRequest & { secrets: readonly string[]; live: boolean }): Promise<PaymentEvent> {
  let old = false;
  for (const secret of of.secrets) {
    try {
      const event = await client.webhooks.constructEventAsync(of.raw, of.signature, secret, EVENT_TOLERANCE_S, undefined, of.now);
      if (isOfTheFuture(of)) throw new WebhookRefused('age');
      return present(event, of.live);
    } catch (error) {
      if (error instanceof SyntaxError) throw new WebhookRefused('content');
      if (!(error instanceof Stripe.errors.StripeSignatureVerificationError)) throw error;
      // The library says it in its message only.
      old ||= error.message.includes('tolerance');
    }
  }
  throw new WebhookRefused(old ? 'age' : 'signature');
}

/**
 * The library refuses what is old, and takes what is signed for a later time: one of two clocks is wrong, and
 * the event could be sent again until then.
 */
function isOfTheFuture({ signature, now }: WebhookRequest): boolean {
  const signedAt = Number([...signature.matchAll(/(?:^|,)t=(\d{1,12})/g)].at(-1)?.[1]);
  return !(signedAt - now / 1000 <= EVENT_TOLERANCE_S);
}

function present(event: Stripe.Event, live: boolean): PaymentEvent {
  // An endpoint for connected accounts gets events of test mode too: its objects are not there for the live
  // key.
  const about = event.livemode === live ? subjectOf(event) : undefined;
  return { id: event.id, type: event.type, at: ms(event.created), about };
}

/** Loosely: of an event we take the id of one object, and read it again. */
interface Subject {
  object?: string;
  id?: string;
  account?: string | { id: string } | null;
  payment_intent?: string | { id: string } | null;
}

const KINDS: Readonly<Record<string, SubjectKind>> = {
  'checkout.session': 'checkout',
  payment_intent: 'payment',
  subscription: 'subscription',
  invoice: 'invoice',
  account: 'connected_account',
  transfer: 'transfer',
};

function subjectOf(event: Stripe.Event): PaymentEvent['about'] {
  const object: Subject = event.data.object;
  if (object.object === 'charge' || object.object === 'refund' || object.object === 'dispute') {
    const id = idOf(object.payment_intent);
    return id === null ? undefined : { kind: 'payment', id };
  }
  // From a creator's account at Stripe to their bank. Without an account it is of the platform's own money.
  if (object.object === 'payout') return event.account === undefined ? undefined : { kind: 'connected_account', id: event.account };
  if (object.object === 'capability') {
    const id = idOf(object.account);
    return id === null ? undefined : { kind: 'connected_account', id };
  }
  const kind = KINDS[object.object ?? ''];
  return kind === undefined || object.id === undefined ? undefined : { kind, id: object.id };
}
