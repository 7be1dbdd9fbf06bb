// The outside world of mail on loopback: a name server with zones of our own, senders whose mail is signed,
// and a server that mail is sent to.
import { generateKeyPairSync } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import DNS from 'dns2'; // a name server in this process
import { createTransport, type SendMailOptions } from 'nodemailer';
import { SMTPServer } from 'smtp-server';

export type Zone = Record<string, { TXT?: string[]; MX?: string[]; A?: string[] }>;

export interface NameServer {
  /** `127.0.0.1:port` */
  address: string;
  zone: Zone;
  /** While it is true, every question is answered with SERVFAIL. */
  broken: boolean;
  close(): Promise<void>;
}

export async function nameServer(zone: Zone = {}): Promise<NameServer> {
  const { TYPE, CLASS } = DNS.Packet;
  const server = DNS.createServer({
    udp: true,
    handle: (request, send) => {
      const response = DNS.Packet.createResponseFromRequest(request);
      const [question] = request.questions;
      const name = question?.name.toLowerCase() ?? '';
      const found = self.zone[name];
      if (self.broken) response.header.rcode = 2;
      else if (!found) response.header.rcode = 3;
      const add = (type: number, more: object) => void response.answers.push({ name, type, class: CLASS.IN, ttl: 1, ...more } as never);
      if (!self.broken) {
        if (question?.type === TYPE.TXT) for (const text of found?.TXT ?? []) add(TYPE.TXT, { data: text.match(/.{1,255}/gs) ?? [] });
        if (question?.type === TYPE.MX) for (const exchange of found?.MX ?? []) add(TYPE.MX, { exchange, priority: 10 });
        if (question?.type === TYPE.A) for (const address of found?.A ?? []) add(TYPE.A, { address });
      }
      void send(response);
    },
  });
  const { udp } = await server.listen({ udp: { port: 0, address: '127.0.0.1' } });
  const { port } = udp as AddressInfo;
  const self: NameServer = { address: `127.0.0.1:${port}`, zone, broken: false, close: () => server.close() };
  return self;
}

/** A domain that signs what it sends, with the policy it publishes. Its SPF names nobody. */
export function signingDomain(
  zone: Zone,
  domain: string,
  { dmarc = 'v=DMARC1; p=reject', selector = 'k1' }: { dmarc?: string | null; selector?: string } = {},
) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'der' },
  });
  zone[domain] = { TXT: ['v=spf1 -all'] };
  zone[`${selector}._domainkey.${domain}`] = { TXT: [`v=DKIM1; k=rsa; p=${publicKey.toString('base64')}`] };
  if (dmarc !== null) zone[`_dmarc.${domain}`] = { TXT: [dmarc] };
  return { dkim: { domainName: domain, keySelector: selector, privateKey } };
}

export interface Sent {
  code: number;
  text: string;
}

/** Resolves with the server's answer, also when it refuses. */
export async function sendTo(port: number, mail: SendMailOptions, { dkim }: Partial<ReturnType<typeof signingDomain>> = {}): Promise<Sent> {
  const transport = createTransport({ host: '127.0.0.1', port, ignoreTLS: true, name: 'peer.example' });
  try {
    const { response } = await transport.sendMail({ ...mail, ...(dkim && { dkim }) });
    return { code: Number(response.slice(0, 3)), text: response };
  } catch (error) {
    const { responseCode = 0, response = String(error) } = error as { responseCode?: number; response?: string };
    return { code: responseCode, text: response };
  } finally {
    transport.close();
  }
}

export interface Inbox {
  port: number;
  mails: { from: string; to: string[]; raw: Buffer }[];
  /** What it answers to DATA from now on; 250 takes the mail. */
  answer: number;
  close(): Promise<void>;
}

/** Somebody else's mail server. */
export async function inbox(): Promise<Inbox> {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, session, done) {
      void buffer(stream).then((raw) => {
        if (self.answer !== 250) return done(Object.assign(new Error('not now'), { responseCode: self.answer }));
        const { mailFrom, rcptTo } = session.envelope;
        self.mails.push({ from: mailFrom === false ? '' : mailFrom.address, to: rcptTo.map(({ address }) => address), raw });
        done();
      });
    },
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const self: Inbox = {
    port: (server.server.address() as AddressInfo).port,
    mails: [],
    answer: 250,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return self;
}
