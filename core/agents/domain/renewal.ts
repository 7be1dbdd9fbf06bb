// When a certificate is renewed: at two thirds of its life or a little before, and earlier where its
// authority suggests it.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { AuthorityRefused, type CertificateAuthority } from '#drivers/certificates/port.ts';

/** Renewals of domains that began together do not come together. */
const SPREAD = 0.05;

export function lifeOf(chain: string): { from: number; to: number } {
  const { validFrom, validTo } = new X509Certificate(chain);
  return { from: Date.parse(validFrom), to: Date.parse(validTo) };
}

/** Why a certificate cannot be served for `hostname` with `key` (PEM); undefined: it can. */
export function unfit(chain: string, hostname: string, key: string, now: number): string | undefined {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(chain);
  } catch {
    return 'what came is no certificate';
  }
  // A wildcard's certificate is asked about a name below it.
  if (certificate.checkHost(hostname.replace(/^\*/, 'a'), { subject: 'never' }) === undefined) return `the certificate is not for ${hostname}`;
  if (!certificate.checkPrivateKey(createPrivateKey(key))) return 'the certificate is for another key';
  return Date.parse(certificate.validTo) > now ? undefined : 'the certificate has expired';
}

/** `random`: 0 to 1. Milliseconds since the epoch. */
export function renewAt({ from, to }: { from: number; to: number }, random: number): number {
  return Math.floor(from + (to - from) * (2 / 3 - SPREAD * random));
}

/** Undefined: the authority suggests nothing, or was not reached. */
export async function suggested(authority: CertificateAuthority, chain: string, random: number): Promise<number | undefined> {
  const window = await authority.renewalWindow(chain).catch((error: unknown) => {
    if (error instanceof AuthorityRefused) return undefined;
    throw error;
  });
  return window && Math.floor(window.from + (window.to - window.from) * random);
}
