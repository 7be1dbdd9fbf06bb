// A local server that behaves as Stripe does to the driver: it keeps state, honours idempotency keys, and
// says what happened by signed events. What people and banks do there are methods. Whether requests have the
// form that Stripe asks for is checked elsewhere (stripe.outside.test.ts).
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as bodyText } from 'node:stream/consumers';
import { StripeEvents } from './events.ts';
import { readForm } from './form.ts';
import { bill, changeSubscription, Refused, refund, reverse, ROUTES, type World } from './routes.ts';
import { type Account, made, newStripeId, State, Unknown } from './state.ts';

export const STRIPE_KEY = 'sk_test_of_the_tests';
export const STRIPE_SECRET = 'whsec_of_the_tests';
const MONTH_S = 30 * 86_400;

export interface Answer {
  request: string;
  status: number;
  body: object;
}

export class StripeServer {
  readonly state = new State();
  readonly events: StripeEvents;
  /** Milliseconds; tests move it. */
  now = Date.now();
  url = '';
  /** `POST /v1/…` of each request, in order. */
  readonly requests: string[] = [];
  /** How many of the next writes are done and not answered. */
  cutAnswers = 0;
  private readonly answers = new Map<string, Answer>();
  private readonly server = createServer((request, response) => void this.take(request, response));
  private readonly world: World;

  constructor() {
    this.events = new StripeEvents(STRIPE_SECRET, () => this.now);
    this.world = { state: this.state, events: this.events, now: () => Math.floor(this.now / 1000) };
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return this;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = await this.answerTo(request);
    const cut = request.method !== 'GET' && this.cutAnswers > 0 && answer.status === 200;
    if (cut) {
      this.cutAnswers -= 1;
      response.destroy();
      return;
    }
    response.writeHead(answer.status, { 'content-type': 'application/json', 'request-id': made('req') });
    response.end(JSON.stringify(answer.body));
  }

  private async answerTo(request: IncomingMessage): Promise<Answer> {
    const url = new URL(request.url ?? '', this.url);
    const sent = request.method === 'GET' ? url.search.slice(1) : await bodyText(request);
    const said = `${request.method} ${url.pathname} ${sent}`;
    this.requests.push(`${request.method} ${url.pathname}`);
    if (request.headers.authorization !== `Bearer ${STRIPE_KEY}`) return failed(said, 401, 'invalid_request_error', 'unauthorized', 'Invalid API Key provided');
    const key = request.headers['idempotency-key'];
    const before = typeof key === 'string' ? this.answers.get(key) : undefined;
    if (before && before.request !== said)
      return failed(said, 400, 'idempotency_error', 'idempotency_error', 'Keys for idempotent requests can only be used with the same parameters');
    const account = request.headers['stripe-account'];
    const answer = before ?? this.run(said, { method: request.method ?? '', path: url.pathname, sent, account: typeof account === 'string' ? account : '' });
    if (typeof key === 'string') this.answers.set(key, answer);
    return answer;
  }

  private run(said: string, { method, path, sent, account }: Record<'method' | 'path' | 'sent' | 'account', string>): Answer {
    for (const [route, handler] of Object.entries(ROUTES)) {
      const [verb = '', template = ''] = route.split(' ');
      const found = new RegExp(`^${template.replace(':id', '([\\w.]+)')}$`).exec(path);
      if (verb !== method || !found) continue;
      try {
        return { request: said, status: 200, body: handler(this.world, found[1] ?? '', readForm(sent), account) };
      } catch (error) {
        if (error instanceof Unknown) return failed(said, 404, 'invalid_request_error', 'resource_missing', error.message);
        if (error instanceof Refused) return failed(said, error.status, 'invalid_request_error', error.code, error.message);
        throw error;
      }
    }
    return failed(said, 404, 'invalid_request_error', 'url_invalid', `Unrecognized request URL (${method}: ${path})`);
  }

  /** Somebody pays a checkout. `taxCents` come on top. */
  pay(sessionId: string, taxCents = 0): void {
    const session = this.state.get('session', sessionId);
    if (session.status !== 'open') throw new Error(`the session is ${session.status}`);
    const done = { ...session, status: 'complete', payment_status: 'paid', url: null, total_details: { amount_tax: taxCents } } as const;
    const amount_total = session.amount_total + taxCents;
    if (session.mode === 'subscription') {
      const subscription = this.subscribe(sessionId);
      this.events.add('checkout.session.completed', this.state.put('session', { ...done, amount_total, subscription }));
      return;
    }
    const id = newStripeId('intent');
    const latest_charge = { id: made('ch'), object: 'charge', payment_intent: id, amount_refunded: 0 } as const;
    const { customer, wanted } = session;
    const paid = { status: 'succeeded', currency: 'usd', amount_received: amount_total, metadata: wanted.metadata } as const;
    const intent = this.state.put('intent', { id, object: 'payment_intent', customer, ...paid, latest_charge });
    this.events.add('payment_intent.succeeded', intent);
    this.events.add('charge.succeeded', { ...latest_charge });
    this.events.add('checkout.session.completed', this.state.put('session', { ...done, amount_total, payment_intent: id }));
  }

  private subscribe(sessionId: string): string {
    const { customer, wanted } = this.state.get('session', sessionId);
    const start = this.world.now();
    const id = newStripeId('subscription');
    const item = { price: { id: wanted.price }, quantity: wanted.quantity, current_period_start: start, current_period_end: start + MONTH_S };
    const times = { start_date: start, created: start, cancel_at_period_end: false, cancel_at: null };
    const { metadata, unit, name } = wanted;
    const made = { id, object: 'subscription', status: 'active', customer, metadata, ...times, items: { data: [item] }, unit, name } as const;
    const subscription = this.state.put('subscription', { ...made, items: { data: [item] } });
    this.events.add('customer.subscription.created', subscription);
    bill(this.world, subscription, true);
    return id;
  }

  refund(intentId: string, cents?: number): void {
    refund(this.world, intentId, cents?.toString());
  }

  dispute(intentId: string): void {
    const intent = this.state.get('intent', intentId);
    const amount = intent.amount_received - intent.latest_charge.amount_refunded;
    if (amount <= 0 || this.state.all('dispute').some((one) => one.payment_intent === intentId && one.status !== 'won')) return;
    const dispute = { id: newStripeId('dispute'), object: 'dispute', amount, payment_intent: intentId, status: 'needs_response' } as const;
    this.events.add('charge.dispute.created', this.state.put('dispute', dispute));
  }

  closeDisputes(intentId: string, status: 'won' | 'lost'): void {
    for (const one of this.state.all('dispute')) {
      if (one.payment_intent !== intentId || one.status !== 'needs_response') continue;
      this.events.add('charge.dispute.closed', this.state.put('dispute', { ...one, status }));
    }
  }

  setDeclines(customerId: string, declines: boolean): void {
    this.state.put('customer', { ...this.state.get('customer', customerId), declines });
  }

  /** The clock reaches the end of what is paid. */
  renew(subscriptionId: string): void {
    const before = this.state.get('subscription', subscriptionId);
    const [item] = before.items.data;
    if (!item || before.status === 'canceled') return;
    this.now = Math.max(this.now, item.current_period_end * 1000);
    if (before.cancel_at_period_end) return void changeSubscription(this.world, subscriptionId, { status: 'canceled' }, 'deleted');
    const paid = !this.state.get('customer', before.customer).declines;
    const next = { ...item, current_period_start: item.current_period_end, current_period_end: item.current_period_end + MONTH_S };
    const after = changeSubscription(this.world, subscriptionId, { status: paid ? 'active' : 'past_due', items: { data: [next] } }, 'updated');
    bill(this.world, after, paid);
  }

  payInvoices(subscriptionId: string): void {
    for (const one of this.state.all('invoice')) {
      if (one.status !== 'open' || one.parent.subscription_details.subscription !== subscriptionId) continue;
      this.events.add('invoice.paid', this.state.put('invoice', { ...one, status: 'paid', amount_paid: one.total }));
    }
    changeSubscription(this.world, subscriptionId, { status: 'active' }, 'updated');
  }

  fillAccount(id: string): void {
    const filled = { details_submitted: true, payouts_enabled: true, capabilities: { transfers: 'active' } } as const;
    this.changeAccount(id, { ...filled, requirements: { currently_due: [], disabled_reason: null } });
  }

  /** It takes no transfers and pays nothing out, until it is filled in again. */
  restrictAccount(id: string): void {
    const requirements = { currently_due: ['individual.verification.document'], disabled_reason: 'requirements.past_due' };
    this.changeAccount(id, { payouts_enabled: false, capabilities: { transfers: 'inactive' }, requirements });
  }

  private changeAccount(id: string, to: Partial<Account>): void {
    this.events.add('account.updated', this.state.put('account', { ...this.state.get('account', id), ...to }), { account: id });
  }

  /** An operator of the platform takes a transfer back. */
  reverseTransfer(id: string, cents?: number): void {
    reverse(this.world, id, cents);
  }

  /** The account's money goes to its bank. */
  payOut(account: string, amount: number): string {
    const id = newStripeId('payout');
    const payout = { id, object: 'payout', amount, currency: 'usd', status: 'in_transit', failure_code: null, failure_message: null } as const;
    this.events.add('payout.created', this.state.put('payout', { ...payout, original_payout: null, created: this.world.now(), account }), { account });
    return id;
  }

  /** The bank takes it, or refuses it, maybe after it took it. */
  endPayout(id: string, status: 'paid' | 'failed'): void {
    const before = this.state.get('payout', id);
    const failure = status === 'failed' ? { failure_code: 'account_closed', failure_message: 'The bank account has been closed' } : {};
    const { account, ...shown } = this.state.put('payout', { ...before, status, ...failure });
    this.events.add(`payout.${status}`, shown, { account });
  }
}

function failed(request: string, status: number, type: string, code: string, message: string): Answer {
  return { request, status, body: { error: { type, code, message } } };
}
