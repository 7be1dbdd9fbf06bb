// Requests that the driver makes, and what Stripe answers to them.
import type { StripeEvents } from './events.ts';
import { type Form, number, text, texts } from './form.ts';
import { type Account, type Invoice, made, newStripeId, type Session, type State, type Subscription, type Transfer } from './state.ts';

export interface World {
  state: State;
  events: StripeEvents;
  /** Seconds. */
  now: () => number;
}
/** `account`: the connected account that the request is made for. */
type Handler = (world: World, id: string, form: Form, account: string) => object;

export class Refused extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export const ROUTES: Record<string, Handler> = {
  'POST /v1/customers': ({ state }, _, form) =>
    state.put('customer', {
      id: newStripeId('customer'),
      object: 'customer',
      email: text(form, 'email') ?? null,
      metadata: texts(form, 'metadata'),
      declines: false,
    }),
  'POST /v1/checkout/sessions': openSession,
  'GET /v1/checkout/sessions/:id': ({ state }, id) => state.get('session', id),
  'POST /v1/checkout/sessions/:id/expire': ({ state, events }, id) => {
    const session = state.get('session', id);
    if (session.status !== 'open') throw new Refused(400, 'resource_invalid_state', 'Only open sessions can be expired');
    events.add('checkout.session.expired', state.put('session', { ...session, status: 'expired', url: null }));
    return state.get('session', id);
  },
  'GET /v1/payment_intents/:id': ({ state }, id) => state.get('intent', id),
  'GET /v1/disputes': ({ state }, _, form) => ({
    object: 'list',
    has_more: false,
    data: state.all('dispute').filter(({ payment_intent }) => payment_intent === text(form, 'payment_intent')),
  }),
  'POST /v1/refunds': (world, _, form) => refund(world, text(form, 'payment_intent') ?? '', text(form, 'amount')),
  'POST /v1/billing_portal/sessions': ({ state }, _, form) => {
    const { id } = state.get('customer', text(form, 'customer') ?? '');
    return { id: made('bps'), object: 'billing_portal.session', url: `https://billing.stripe.example/${id}` };
  },
  'GET /v1/subscriptions/:id': ({ state }, id) => state.get('subscription', id),
  'POST /v1/subscriptions/:id': (world, id, form) =>
    changeSubscription(world, id, { cancel_at_period_end: text(form, 'cancel_at_period_end') === 'true' }, 'updated'),
  'DELETE /v1/subscriptions/:id': (world, id) => {
    if (world.state.get('subscription', id).status === 'canceled') throw new Refused(404, 'resource_missing', `No such subscription: '${id}'`);
    return changeSubscription(world, id, { status: 'canceled' }, 'deleted');
  },
  'GET /v1/invoices/:id': ({ state }, id) => state.get('invoice', id),
  'POST /v1/accounts': ({ state }, _, form) => state.put('account', newAccount(form)),
  'GET /v1/accounts/:id': ({ state }, id) => state.get('account', id),
  'POST /v1/account_links': ({ state, now }, _, form) => {
    const { id } = state.get('account', text(form, 'account') ?? '');
    return { object: 'account_link', created: now(), expires_at: now() + 300, url: `https://connect.stripe.example/${id}` };
  },
  'POST /v1/transfers': (world, _, form) => transfer(world, form),
  'GET /v1/transfers/:id': ({ state }, id) => state.get('transfer', id),
  'POST /v1/transfers/:id/reversals': (world, id, form) => reverse(world, id, text(form, 'amount') === undefined ? undefined : number(form, 'amount')),
  'GET /v1/payouts': ({ state }, _, form, account) => {
    const data = state.all('payout').filter((one) => one.account === state.get('account', account).id);
    return { object: 'list', has_more: false, data: data.toReversed().slice(0, number(form, 'limit')) };
  },
};

function openSession({ state, now }: World, _: string, form: Form): Session {
  const item = ['line_items', '0'];
  const id = newStripeId('session');
  const mode = text(form, 'mode') ?? '';
  const [unit, quantity] = [number(form, ...item, 'price_data', 'unit_amount'), number(form, ...item, 'quantity')];
  const metadata = texts(form, mode === 'subscription' ? 'subscription_data' : 'payment_intent_data', 'metadata');
  const { id: customer } = state.get('customer', text(form, 'customer') ?? '');
  return state.put('session', {
    id,
    object: 'checkout.session',
    mode,
    url: `https://checkout.stripe.example/${id}`,
    status: 'open',
    payment_status: 'unpaid',
    client_reference_id: text(form, 'client_reference_id') ?? null,
    customer,
    currency: 'usd',
    amount_total: unit * quantity,
    total_details: { amount_tax: 0 },
    payment_intent: null,
    subscription: null,
    expires_at: now() + 86_400,
    metadata: texts(form, 'metadata'),
    wanted: {
      metadata,
      price: text(form, ...item, 'price') ?? made('price'),
      unit,
      quantity,
      name: text(form, ...item, 'price_data', 'product_data', 'name') ?? '',
    },
  });
}

export function reverse({ state, events }: World, id: string, cents: number | undefined): object {
  const before = state.get('transfer', id);
  const left = before.amount - before.amount_reversed;
  const amount = cents ?? left;
  if (amount <= 0 || amount > left) throw new Refused(400, 'amount_too_large', 'The reversal is larger than what is left');
  const amount_reversed = before.amount_reversed + amount;
  events.add('transfer.reversed', state.put('transfer', { ...before, amount_reversed, reversed: amount_reversed === before.amount }));
  return { id: made('trr'), object: 'transfer_reversal', amount, transfer: id };
}

export function refund({ state, events }: World, intentId: string, asked: string | undefined): object {
  const intent = state.get('intent', intentId);
  const charge = intent.latest_charge;
  const left = intent.amount_received - charge.amount_refunded;
  const amount = asked === undefined ? left : Number(asked);
  if (amount <= 0 || amount > left) throw new Refused(400, 'amount_too_large', 'The refund is larger than what is left');
  const refunded = { ...charge, amount_refunded: charge.amount_refunded + amount };
  state.put('intent', { ...intent, latest_charge: refunded });
  events.add('charge.refunded', { ...refunded });
  return { id: made('re'), object: 'refund', amount, payment_intent: intentId };
}

export function changeSubscription({ state, events }: World, id: string, to: Partial<Subscription>, what: 'updated' | 'deleted'): Subscription {
  const after = state.put('subscription', { ...state.get('subscription', id), ...to });
  events.add(`customer.subscription.${what}`, after);
  return after;
}

export function bill({ state, events, now }: World, of: Subscription, paid: boolean): Invoice {
  const [item] = of.items.data;
  if (!item) throw new Error('a subscription has an item');
  const amount = of.unit * item.quantity;
  const id = newStripeId('invoice');
  const invoice = state.put('invoice', {
    id,
    object: 'invoice',
    number: id.slice(-8).toUpperCase(),
    customer: of.customer,
    status: paid ? 'paid' : 'open',
    currency: 'usd',
    total: amount,
    amount_paid: paid ? amount : 0,
    total_taxes: [],
    parent: { subscription_details: { subscription: of.id } },
    lines: { data: [{ description: of.name, amount, quantity: item.quantity, period: { start: item.current_period_start, end: item.current_period_end } }] },
    // As Stripe does: the period before.
    period_start: now(),
    period_end: now(),
    created: now(),
    hosted_invoice_url: `https://invoice.stripe.example/${id}`,
    invoice_pdf: `https://invoice.stripe.example/${id}.pdf`,
  });
  events.add(paid ? 'invoice.paid' : 'invoice.payment_failed', invoice);
  return invoice;
}

function newAccount(form: Form): Account {
  return {
    id: newStripeId('account'),
    object: 'account',
    details_submitted: false,
    payouts_enabled: false,
    capabilities: { transfers: 'inactive' },
    requirements: { currently_due: ['external_account', 'individual.first_name'], disabled_reason: 'requirements.past_due' },
    country: text(form, 'country') ?? 'US',
    metadata: texts(form, 'metadata'),
  };
}

function transfer({ state, events, now }: World, form: Form): Transfer {
  const account = state.get('account', text(form, 'destination') ?? '');
  if (account.capabilities.transfers !== 'active')
    throw new Refused(400, 'insufficient_capabilities_for_transfer', 'The destination account needs the transfers capability');
  const after = state.put('transfer', {
    id: newStripeId('transfer'),
    object: 'transfer',
    destination: account.id,
    amount: number(form, 'amount'),
    amount_reversed: 0,
    reversed: false,
    transfer_group: text(form, 'transfer_group') ?? null,
    metadata: texts(form, 'metadata'),
    created: now(),
  });
  events.add('transfer.created', after);
  return after;
}
