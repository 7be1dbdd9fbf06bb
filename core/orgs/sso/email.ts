// Addresses as the sign-in of an organization takes them.
import { domainToASCII } from 'node:url';
import type { Identity } from '#drivers/idp/port.ts';
import { Forbidden } from '../../kernel/errors.ts';

/** Punycode, lower case. */
export function emailDomain(email: string): string {
  return domainToASCII(email.slice(email.lastIndexOf('@') + 1)).toLowerCase();
}

/** Lower case. `domains`: those that count now. @throws Forbidden sso_email_refused, sso_domain_refused */
export function requireAddress({ email, emailVerified }: Pick<Identity, 'email' | 'emailVerified'>, domains: readonly string[], slug: string): string {
  if (emailVerified !== true)
    throw new Forbidden(
      'sso_email_refused',
      `The identity provider of ${slug} does not say that ${email} is verified: ask its admin to send email_verified (Entra: the optional claim xms_edov)`,
    );
  const address = email.trim().toLowerCase();
  if (/^[^\s@<>]{1,64}@[^\s@<>]{1,190}$/.test(address) && domains.includes(emailDomain(address))) return address;
  throw new Forbidden('sso_domain_refused', `${email} is of no verified domain of the sign-in of ${slug}: sign in with an address of the organization`);
}
