// Custom domains as the database knows them, for the ingress: whose a name is, what the certificate authority
// reads there, what TLS presents.
import { createSecureContext, type SecureContext } from 'node:tls';
import type { Logger } from 'pino';
import { hostName } from '#contract/wire/host-owner.ts';
import { challengeAnswer } from '#core/agents/domain/challenge.ts';
import { isWildcard } from '#core/agents/domain/hostname.ts';
import { type CustomHost, resolveHost, servingCertificate } from '#core/agents/domain/resolve-host.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import { createTable, type Table } from './route-cache.ts';

export interface CustomDomains {
  hosts: Pick<Table<CustomHost>, 'get'>;
  /** Undefined: no open order asks for it. */
  challenge(host: string, token: string): Promise<string | undefined>;
  /** Undefined: no certificate is for this name. */
  context(host: string): SecureContext | undefined | Promise<SecureContext | undefined>;
  /** To be called with each payload on `svc_domains`; undefined: anything may have changed. */
  changed(hostname: string | undefined): void;
}

export function customDomains(ctx: Pick<Ctx, 'db' | 'drivers' | 'clock'>, log: Pick<Logger, 'warn'>): CustomDomains {
  const hosts = createTable((host) => resolveHost(ctx.db, host));
  const contexts = createTable((host) => build(host));
  /** One for each certificate: a wildcard's serves all its names, and none is built twice while in use. */
  const built = new Map<string, SecureContext>();

  async function build(host: string): Promise<SecureContext | undefined> {
    const certificate = await servingCertificate(ctx, host);
    if (!certificate) return undefined;
    const { certificateId, chain, key } = certificate;
    const known = built.get(certificateId);
    // Used last, dropped last.
    if (known) built.delete(certificateId);
    const context = known ?? createSecureContext({ cert: chain, key, minVersion: 'TLSv1.2' });
    const [oldest] = built.keys();
    if (built.size >= MOST_CONTEXTS && oldest !== undefined) built.delete(oldest);
    built.set(certificateId, context);
    return context;
  }

  return {
    hosts,
    challenge: (host, token) => challengeAnswer(ctx.db, host, token),
    context(servername) {
      const host = hostName(servername);
      if (host === undefined) return undefined;
      const secureContext = contexts.get(host);
      if (!(secureContext instanceof Promise)) return secureContext;
      return secureContext.catch((error: unknown) => {
        log.warn({ err: error, host }, 'the certificate of a custom domain could not be read');
        return undefined;
      });
    },
    changed(hostname) {
      // A wildcard's names are not known one by one.
      const name = hostname === undefined || isWildcard(hostname) ? undefined : hostname;
      hosts.drop(name);
      contexts.drop(name);
    },
  };
}

const MOST_CONTEXTS = 10_000;
