import Stripe from 'stripe';
import type { StripeConfiguration } from '../environment.ts';
import { PaymentsFailed } from '../port.ts';

/** What objects and events look like; an event endpoint at Stripe is made for the same version. */
const STRIPE_API_VERSION = '2026-10-28.endive';
const TIMEOUT_MS = 20_000;

export function stripeClient({ secretKey, apiBase }: StripeConfiguration): Stripe {
  return new Stripe(secretKey, { apiVersion: STRIPE_API_VERSION, timeout: TIMEOUT_MS, maxNetworkRetries: 2, telemetry: false, ...placeOf(apiBase) });
}

function placeOf(apiBase: string | undefined): { host?: string; port?: string; protocol?: 'http' | 'https' } {
  if (apiBase === undefined) return {};
  const { hostname, port, protocol } = new URL(apiBase);
  const plain = protocol === 'http:';
  return { host: hostname, port: port || (plain ? '80' : '443'), protocol: plain ? 'http' : 'https' };
}

/**
 * @throws PaymentsFailed for whatever the client throws. Stripe's own words about a request name our
 * parameters, never the key.
 */
export async function mapStripeErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw failureOf(error);
  }
}

function failureOf(error: unknown): unknown {
  if (!(error instanceof Stripe.errors.StripeError)) return error;
  const status = error.statusCode ?? 0;
  // account_invalid: of a connected account that is not, or no longer, ours.
  if (error.code === 'resource_missing' || error.code === 'account_invalid')
    return new PaymentsFailed('The payment processor does not have it', { retry: false, code: 'not_found' }, error);
  const retry = status === 0 || status === 429 || status >= 500 || status === 409;
  const message = retry ? 'The payment processor does not answer: try again' : 'The payment processor refused the request';
  return new PaymentsFailed(message, { retry, code: error.code ?? error.type }, error);
}

/** Instants of Stripe are seconds. */
export function ms(seconds: number): number {
  return seconds * 1000;
}

export function idOf(value: string | { id: string } | null | undefined): string | null {
  return typeof value === 'string' ? value : (value?.id ?? null);
}
