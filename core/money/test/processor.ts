// Accounts that pay at the test server for Stripe, and its events on their way to our verb.
import { stripePayments } from '#drivers/payments/stripe/stripe.ts';
import { SIGNATURE_HEADER } from '#drivers/payments/port.ts';
import type { TestContext, TestUser } from '#test/support/context.ts';
import type { Post } from '#test/support/stripe/events.ts';
import { STRIPE_KEY, STRIPE_SECRET, StripeServer } from '#test/support/stripe/server.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { DomainError } from '../../kernel/errors.ts';
import { processorFollowers } from '../followers.ts';
import { takeProcessorEvent } from '../processor/webhook.ts';

export interface ProcessorTest {
  server: StripeServer;
  /** With Stripe as processor, on its clock. */
  at<T extends Ctx>(ctx: T): T;
  post: Post;
  close(): Promise<void>;
}

export async function processorTest(t: TestContext): Promise<ProcessorTest> {
  const server = await new StripeServer().listen();
  const payments = stripePayments({ secretKey: STRIPE_KEY, webhookSecrets: [STRIPE_SECRET], apiBase: server.url, prices: {}, automaticTax: false });
  const at = <T extends Ctx>(ctx: T): T => ({ ...ctx, clock: () => server.now, drivers: { ...ctx.drivers, payments } });
  return {
    server,
    at,
    post: (raw, signature) => postTo(at(t.ctx), raw, signature),
    close: () => server.close(),
  };
}

/** With what the verb of the webhook answers, as a status. */
export async function postTo(ctx: Ctx, raw: Buffer, signature: string): Promise<number> {
  try {
    const request = { headers: { [SIGNATURE_HEADER]: signature }, body: once(raw) };
    await takeProcessorEvent({ ...ctx, actor: { kind: 'anonymous' } }, request, processorFollowers);
    return 200;
  } catch (error) {
    if (error instanceof DomainError) return error.code === 'payments_busy' || error.code === 'payments_down' ? 503 : 400;
    return 500;
  }
}

async function* once(raw: Buffer): AsyncGenerator<Uint8Array> {
  yield raw;
}

export interface WalletState {
  balance: number;
  held: number;
  owed: number;
}
export async function walletOf({ db, actor }: TestUser): Promise<WalletState> {
  const row = await db('ledger_accounts').where({ kind: 'wallet', owner_id: actor.user_id }).first();
  return { balance: row?.balance_micros ?? 0, held: row?.held_micros ?? 0, owed: row?.owed_micros ?? 0 };
}
