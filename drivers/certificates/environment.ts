// Variables of custom domains that the API and the worker share.
import { z } from 'zod';
import { listed } from '../environment-lists.ts';
import type { AcmeOptions } from './acme.ts';

export const domainVariables = {
  /**
   * Names or addresses, separated by commas, at which records of custom domains have to point; absent: the
   * agent's own name.
   */
  SVC_DOMAINS_TARGETS: listed.optional(),
  /**
   * `address` or `address:port`, separated by commas: name servers that are asked for custom domains; absent:
   * those of the system.
   */
  SVC_DOMAINS_DNS: listed.optional(),
  /** Of a certificate authority that speaks ACME; absent: no certificates are asked for. */
  SVC_ACME_DIRECTORY_URL: z.url().optional(),
  /** Email address for the authority's warnings. */
  SVC_ACME_CONTACT: z.email().optional(),
  /** PEM file of who signs the authority's own address. */
  SVC_ACME_CA_FILE: z.string().min(1).optional(),
};

interface Read {
  SVC_DOMAINS_DNS?: string[] | undefined;
  SVC_ACME_DIRECTORY_URL?: string | undefined;
  SVC_ACME_CONTACT?: string | undefined;
  SVC_ACME_CA_FILE?: string | undefined;
}

export function domainDrivers(env: Read): { acme: AcmeOptions | undefined; dnsServers: string[] | undefined } {
  const { SVC_ACME_DIRECTORY_URL: directoryUrl, SVC_ACME_CONTACT: contact, SVC_ACME_CA_FILE: caFile } = env;
  return { acme: directoryUrl === undefined ? undefined : { directoryUrl, contact, caFile }, dnsServers: env.SVC_DOMAINS_DNS };
}
