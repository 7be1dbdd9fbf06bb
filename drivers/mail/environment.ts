// Mail of agents, as the environment says it. Without a domain there is none.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { listed } from '../environment-lists.ts';
import { MailDomain } from '#contract/wire/mail.ts';

const list = listed.transform((names) => names.map((one) => one.toLowerCase()));

/** Members of a process's environment schema. */
export const mailVariables = {
  /** What follows the `@` of agents' addresses; absent: agents have no mailboxes. */
  SVC_MAIL_DOMAIN: MailDomain.optional(),
  /** Name of the server in its greeting; default: the domain. */
  SVC_MAIL_HOSTNAME: MailDomain.optional(),
  /**
   * `smtp://user:password@host:port` or `smtps://…`, which takes all mail that is sent; absent: the servers
   * of each recipient's domain.
   */
  SVC_MAIL_RELAY: z.url({ protocol: /^smtps?$/ }).optional(),
  /** Of the key that signs mail (DKIM); another one makes a new key. */
  SVC_MAIL_DKIM_SELECTOR: z
    .string()
    .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/)
    .default('svc'),
  /** `address` or `address:port` of name servers, separated by commas; default: the system's. */
  SVC_MAIL_DNS: list.optional(),
  /** Domains whose ARC seals are believed, separated by commas; default: none. */
  SVC_MAIL_ARC_SEALERS: list.optional(),
};

/** The same for the process that receives. */
export const mailServerVariables = {
  /** Where mail comes in. */
  SVC_MAIL_PORT: z.coerce.number().int().min(1).max(65_535).default(2525),
  /** Address to listen on; default: this machine only. */
  SVC_MAIL_LISTEN: z.string().min(1).default('127.0.0.1'),
  /** Files in PEM. With both, STARTTLS is offered. */
  SVC_MAIL_TLS_CERT: z.string().min(1).optional(),
  SVC_MAIL_TLS_KEY: z.string().min(1).optional(),
};

type Variables = z.output<z.ZodObject<typeof mailVariables>>;
type ServerVariables = z.output<z.ZodObject<typeof mailServerVariables>>;

export interface MailConfiguration {
  domain: string;
  hostname: string;
  selector: string;
  relay?: string | undefined;
  dnsServers?: readonly string[] | undefined;
  arcSealers: readonly string[];
}

/** Undefined: agents have no mailboxes. */
export function mailConfiguration(env: Variables): MailConfiguration | undefined {
  if (env.SVC_MAIL_DOMAIN === undefined) return undefined;
  return {
    domain: env.SVC_MAIL_DOMAIN,
    hostname: env.SVC_MAIL_HOSTNAME ?? env.SVC_MAIL_DOMAIN,
    selector: env.SVC_MAIL_DKIM_SELECTOR,
    relay: env.SVC_MAIL_RELAY,
    dnsServers: env.SVC_MAIL_DNS,
    arcSealers: env.SVC_MAIL_ARC_SEALERS ?? [],
  };
}

export interface MailServerConfiguration {
  port: number;
  listen: string;
  tls?: { cert: Buffer; key: Buffer } | undefined;
}

/** @throws when only one of certificate and key is there, or a file cannot be read */
export function mailServerConfiguration(env: ServerVariables): MailServerConfiguration {
  const { SVC_MAIL_TLS_CERT: cert, SVC_MAIL_TLS_KEY: key } = env;
  if ((cert === undefined) !== (key === undefined)) throw new Error('Set both SVC_MAIL_TLS_CERT and SVC_MAIL_TLS_KEY, or neither');
  return {
    port: env.SVC_MAIL_PORT,
    listen: env.SVC_MAIL_LISTEN,
    ...(cert !== undefined && key !== undefined && { tls: { cert: readFileSync(cert), key: readFileSync(key) } }),
  };
}
