import type { Knex } from 'knex';

/**
 * NOTIFY channel on which ingresses hear that a custom domain, or its certificate, changed; the payload is
 * its host name.
 */
export const domainChannel = 'svc_domains';

/** Takes effect with the transaction. */
export async function domainChanged(tx: Knex, hostname: string): Promise<void> {
  await tx.raw('select pg_notify(?, ?)', [domainChannel, hostname]);
}
