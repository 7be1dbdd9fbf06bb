// Every request of the driver against stripe-mock, which checks parameters by Stripe's own description of its
// API. It keeps nothing: what comes back is made up.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { freePort } from '#stack/ports.ts';
import { PaymentsFailed, type Payments } from './port.ts';
import { stripePayments } from './stripe/stripe.ts';

const MOCK = 'github.com/stripe/stripe-mock@v0.203.0';
const run = promisify(execFile);
const program = join(process.env['GOBIN'] ?? join(process.env['GOPATH'] ?? join(homedir(), 'go'), 'bin'), 'stripe-mock');
const hasGo = existsSync(program) || (await run('go', ['version']).then(() => true, () => false)); // prettier-ignore

const PAGES = { successUrl: 'https://svc.example/paid', cancelUrl: 'https://svc.example/left' };
const PLAN = { plan: 'pro', name: 'Pro', cents: 2_000 };
const CONNECT = { returnUrl: 'https://svc.example/payouts', refreshUrl: 'https://svc.example/payouts?again' };
let count = 0;
const key = (): string => `outside:${(count += 1)}`;

/** Each request that the driver can make, with every parameter that it can have. */
const REQUESTS: Record<string, (p: Payments) => Promise<unknown>> = {
  'a customer': (p) => p.createCustomer({ accountId: 'usr_1', email: 'ada@example.com', key: key() }),
  'a customer without an address': (p) => p.createCustomer({ accountId: 'usr_1', email: '', key: key() }),
  'a top-up': (p) => p.topUp({ customerId: 'cus_1', reference: 'top_1', cents: 2_000, description: 'Credits', ...PAGES, key: key() }),
  'a plan': (p) => p.subscribe({ customerId: 'cus_1', reference: 'usr_1', plan: PLAN, seats: 3, ...PAGES, key: key() }),
  'a plan with a price': (p) => p.subscribe({ customerId: 'cus_1', reference: 'usr_1', plan: { ...PLAN, plan: 'team' }, seats: 1, ...PAGES, key: key() }),
  'a checkout': (p) => p.checkout('cs_test_1'),
  'closing a checkout': (p) => p.expireCheckout({ id: 'cs_test_1', key: key() }),
  'a payment': (p) => p.payment('pi_1'),
  'a refund': (p) => p.refund({ paymentId: 'pi_1', key: key() }),
  'a refund of a part': (p) => p.refund({ paymentId: 'pi_1', cents: 500, key: key() }),
  'a portal': (p) => p.portal({ customerId: 'cus_1', returnUrl: 'https://svc.example/billing', key: key() }),
  'a subscription': (p) => p.subscription('sub_1'),
  'ending it later': (p) => p.cancelSubscription({ id: 'sub_1', when: 'period_end', key: key() }),
  'keeping it': (p) => p.cancelSubscription({ id: 'sub_1', when: 'never', key: key() }),
  'ending it now': (p) => p.cancelSubscription({ id: 'sub_1', when: 'now', key: key() }),
  'ending it now, with what is left': (p) => p.cancelSubscription({ id: 'sub_1', when: 'now', prorate: true, key: key() }),
  'an invoice': (p) => p.invoice('in_1'),
  'an account': (p) => p.createAccount({ accountId: 'usr_1', email: 'ada@example.com', country: 'DE', key: key() }),
  'an account of nobody known': (p) => p.createAccount({ accountId: 'usr_1', email: '', key: key() }),
  'reading an account': (p) => p.account('acct_1'),
  'an account link': (p) => p.accountLink({ accountId: 'acct_1', ...CONNECT, key: key() }),
  'a transfer': (p) => p.transfer({ destination: 'acct_1', cents: 1_250, group: 'run_1', reference: 'line_1', key: key() }),
  'the newest payout to a bank': (p) => p.bankPayout('acct_1'),
  'reading a transfer': (p) => p.readTransfer('tr_1'),
  'a reversal': (p) => p.reverseTransfer({ transferId: 'tr_1', key: key() }),
  'a reversal of a part': (p) => p.reverseTransfer({ transferId: 'tr_1', cents: 250, key: key() }),
};

describe.skipIf(!hasGo)(`stripe-mock (${hasGo ? MOCK : 'Go is not installed'})`, () => {
  let mock: ChildProcess;
  let url: string;
  beforeAll(async () => {
    if (!existsSync(program)) await run('go', ['install', MOCK]);
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    mock = spawn(program, ['-http-addr', `127.0.0.1:${port}`], { stdio: 'ignore' });
    await vi.waitFor(() => fetch(url), { timeout: 60_000, interval: 100 });
  });
  afterAll(() => void mock?.kill());

  const open = (automaticTax: boolean) =>
    stripePayments({ secretKey: 'sk_test_123', webhookSecrets: ['whsec_1'], apiBase: url, prices: { team: 'price_1' }, automaticTax });

  test.each(Object.entries(REQUESTS))('%s', async (_, request) => {
    for (const automaticTax of [false, true]) await request(open(automaticTax));
  });

  test('a parameter that Stripe does not know would be found', async () => {
    const response = await fetch(`${url}/v1/customers`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk_test_123' },
      body: new URLSearchParams({ nothing: '1' }),
    });
    expect(response.status).toBe(400);
  });

  test('what the driver answers with is read from objects of the present API', async () => {
    const payments = open(false);
    expect(await payments.subscription('sub_1')).toMatchObject({ id: 'sub_1', periodEnd: expect.any(Number), seats: expect.any(Number) });
    await expect(payments.createCustomer({ accountId: 'x'.repeat(10), email: 'ada@example.com', key: key() })).resolves.not.toBeInstanceOf(PaymentsFailed);
  });
});
