// Which payment processor an installation has, from the environment.
import { z } from 'zod';
import { listed, namedValues } from '../environment-lists.ts';

/** Members of a process's environment schema. */
export const paymentVariables = {
  /** `builtin`: test money, without any processor; `stripe`; `off`: nothing can be paid. */
  SVC_PAYMENTS: z.enum(['builtin', 'stripe', 'off']).default('off'),
  /** `sk_…` or `rk_…` of Stripe. */
  STRIPE_SECRET_KEY: z.string().min(1).optional(),
  /** `whsec_…`, separated by commas: each of them signs events; more than one while they are exchanged. */
  STRIPE_WEBHOOK_SECRETS: listed.optional(),
  /** Where Stripe's API is, when not at its usual address: for tests. */
  STRIPE_API_BASE: z.url({ protocol: /^https?$/ }).optional(),
  /**
   * `plan=price_…`, separated by commas: prices of Stripe for plans; a plan without one is sold at the price
   * that the platform knows.
   */
  STRIPE_PRICES: namedValues.optional(),
  /** Stripe computes taxes by the payer's address. */
  STRIPE_AUTOMATIC_TAX: z.stringbool().default(false),
};

type Variables = z.output<z.ZodObject<typeof paymentVariables>>;

export interface StripeConfiguration {
  secretKey: string;
  webhookSecrets: readonly string[];
  apiBase?: string | undefined;
  /** Price of each plan. */
  prices: Readonly<Record<string, string>>;
  automaticTax: boolean;
}
export type PaymentsConfiguration = { kind: 'builtin'; baseUrl: string } | ({ kind: 'stripe' } & StripeConfiguration) | { kind: 'off' };

/** @throws when Stripe is named without its secrets */
export function paymentsConfiguration(env: Variables & { SVC_BASE_URL: string }): PaymentsConfiguration {
  if (env.SVC_PAYMENTS === 'off') return { kind: 'off' };
  if (env.SVC_PAYMENTS === 'builtin') return { kind: 'builtin', baseUrl: env.SVC_BASE_URL };
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRETS: webhookSecrets = [] } = env;
  if (secretKey === undefined || webhookSecrets.length === 0)
    throw new Error('SVC_PAYMENTS=stripe needs STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRETS: set both, or SVC_PAYMENTS=off');
  return {
    kind: 'stripe',
    secretKey,
    webhookSecrets,
    apiBase: env.STRIPE_API_BASE,
    prices: env.STRIPE_PRICES ?? {},
    automaticTax: env.STRIPE_AUTOMATIC_TAX,
  };
}
