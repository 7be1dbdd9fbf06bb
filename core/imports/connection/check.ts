// What can be found wrong with a credential before it is used.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { AgentAuthIn } from '#contract/imports/agent-auth.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { BadRequest } from '../../kernel/errors.ts';

/**
 * Returns when the credential expires; null: it does not say.
 * @throws BadRequest connection_invalid, remote_address_refused
 */
export function checkCredential(ctx: Pick<Ctx, 'drivers' | 'clock'>, i: AgentAuthIn): Date | null {
  if (i.kind === 'mtls') return checkCertificate(ctx, i);
  if (i.kind !== 'oauth2' && i.kind !== 'oidc') return null;
  if (i.token_url !== undefined) {
    const problem = ctx.drivers.remote.problemOf(i.token_url);
    if (problem !== undefined) throw new BadRequest('remote_address_refused', `token_url ${problem}`);
  }
  if (i.refresh_token !== undefined && i.token_url === undefined)
    throw new BadRequest('connection_invalid', 'A refresh token needs token_url, where it becomes an access token');
  return i.expires_in === undefined ? null : new Date(ctx.clock() + i.expires_in * 1000);
}

function checkCertificate({ clock }: Pick<Ctx, 'clock'>, { cert, key, ca }: Extract<AgentAuthIn, { kind: 'mtls' }>): Date {
  const certificate = attempt(() => new X509Certificate(cert), 'cert is not a certificate in PEM');
  const privateKey = attempt(() => createPrivateKey(key), 'key is not a private key in PEM, or it has a passphrase: write it without one');
  if (!certificate.checkPrivateKey(privateKey)) throw invalid('key does not belong to cert: send the pair');
  if (ca !== null) {
    const authority = attempt(() => new X509Certificate(ca), 'ca is not a certificate in PEM');
    if (!authority.ca) throw invalid('ca is a certificate that may not sign others: send that of the authority');
  }
  attempt(() => createSecureContext({ cert, key, ...(ca === null ? {} : { ca }) }), 'the certificates cannot be used for TLS');
  const end = certificate.validToDate;
  if (end.getTime() <= clock()) throw invalid(`cert ended on ${end.toISOString()}: send one that is valid`);
  return end;
}

function attempt<T>(make: () => T, message: string): T {
  try {
    return make();
  } catch {
    // What the library says may quote the key.
    throw invalid(message);
  }
}

function invalid(message: string): BadRequest {
  return new BadRequest('connection_invalid', message);
}
