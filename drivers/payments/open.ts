import type { Knex } from 'knex';
import type { Vault } from '../vault/port.ts';
import { builtinPayments } from './builtin/builtin.ts';
import type { PaymentsConfiguration } from './environment.ts';
import type { Payments } from './port.ts';

/** Undefined: nothing can be paid. */
export async function openPayments(
  configuration: PaymentsConfiguration,
  { db, vault, clock }: { db: Knex; vault: Vault; clock?: () => number },
): Promise<Payments | undefined> {
  if (configuration.kind === 'off') return undefined;
  const { kind } = configuration;
  if (kind === 'builtin')
    return builtinPayments({ db, baseUrl: configuration.baseUrl, secret: () => vault.derive('events of test money'), ...(clock && { clock }) });
  // Loaded where it is used: the library is large.
  const { stripePayments } = await import('./stripe/stripe.ts');
  return stripePayments(configuration);
}
