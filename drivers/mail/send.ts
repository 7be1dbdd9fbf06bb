// Mail goes out to a relay of the operator, or to the servers of the recipient's domain.
import { createTransport } from 'nodemailer'; // SMTP client
import { openTarget } from '../outbound/connect.ts';
import { resolveHost, type Lookup } from '../outbound/lookup.ts';
import { type Outgoing, SendFailed } from './port.ts';
import { isAbsent, type MailResolver } from './resolver.ts';

export interface SendOptions {
  hostname: string;
  relay?: string | undefined;
  resolver: MailResolver;
  /** Of mail servers: only tests have others. */
  port?: number;
  lookup?: Lookup;
  /** Mail servers may be on this machine or network: only tests say so. */
  mayBeInternal?: boolean;
}

const TIMES = { connectionTimeout: 20_000, greetingTimeout: 30_000, socketTimeout: 60_000 };
const MAX_SERVERS = 4;

/** @throws SendFailed */
export async function sendMail(mail: Outgoing, o: SendOptions): Promise<void> {
  if (o.relay !== undefined) return hand(mail, o.relay, o);
  const servers = await serversOf(mail.to.slice(mail.to.lastIndexOf('@') + 1), o.resolver);
  let last = new SendFailed(false, 'no_server');
  for (const server of servers.slice(0, MAX_SERVERS)) {
    try {
      return await handTo(mail, server, o);
    } catch (error) {
      last = failedBy(error);
      if (last.permanent) throw last;
    }
  }
  throw last;
}

async function hand(mail: Outgoing, relay: string, { hostname }: SendOptions): Promise<void> {
  const transport = createTransport({ url: relay, name: hostname, disableFileAccess: true, disableUrlAccess: true, ...TIMES });
  await transport.sendMail(messageOf(mail)).catch((error: unknown) => {
    throw failedBy(error);
  });
}

/** The name comes from who wrote to us: nothing inside is connected to. */
async function handTo(mail: Outgoing, host: string, o: SendOptions): Promise<void> {
  const target = { host, port: o.port ?? 25, mayBeInternal: o.mayBeInternal === true };
  const connection = await openTarget(target, o.lookup ?? resolveHost, TIMES.connectionTimeout);
  try {
    const transport = createTransport({
      host,
      port: target.port,
      connection,
      name: o.hostname,
      secure: false,
      // Opportunistic TLS, as usual between mail servers: any certificate is accepted.
      tls: { rejectUnauthorized: false },
      disableFileAccess: true,
      disableUrlAccess: true,
      ...TIMES,
    });
    await transport.sendMail(messageOf(mail));
  } finally {
    connection.destroy();
  }
}

function messageOf({ envelopeFrom, to, raw }: Outgoing) {
  return { envelope: { from: envelopeFrom, to: [to] }, raw };
}

/** Best first; the domain itself where it names none (RFC 5321, 5.1). */
async function serversOf(domain: string, resolver: MailResolver): Promise<string[]> {
  try {
    const exchanges = (await resolver(domain, 'MX')).flatMap((one: unknown) => exchangeOf(one));
    const sorted = exchanges.sort((a, b) => a.priority - b.priority).map(({ exchange }) => exchange.replace(/\.$/, ''));
    // RFC 7505: the domain takes no mail.
    if (sorted.length > 0 && sorted.every((name) => name === '')) throw new SendFailed(true, 'no_mail_domain');
    return sorted.length > 0 ? sorted.filter((name) => name !== '') : [domain];
  } catch (error) {
    if (error instanceof SendFailed) throw error;
    if (isAbsent(error)) return [domain];
    throw new SendFailed(false, 'dns_failed');
  }
}

function exchangeOf(answer: unknown): { priority: number; exchange: string }[] {
  if (typeof answer !== 'object' || answer === null || !('exchange' in answer) || !('priority' in answer)) return [];
  const { exchange, priority } = answer;
  return typeof exchange === 'string' && typeof priority === 'number' ? [{ exchange, priority }] : [];
}

function failedBy(error: unknown): SendFailed {
  if (error instanceof SendFailed) return error;
  const status = typeof error === 'object' && error !== null && 'responseCode' in error ? Number(error.responseCode) : Number.NaN;
  if (Number.isInteger(status)) return new SendFailed(status >= 500 && status < 600, `smtp_${status}`);
  return new SendFailed(false, 'not_reached');
}
