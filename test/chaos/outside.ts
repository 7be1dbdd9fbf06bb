// The world around an installation: name servers, a certificate authority, people who write mail and the
// server their answers go to, an agent that runs elsewhere, a provider of language models.
import { a2aRemote, hostOf, type Remote } from '#imports/test/remotes.ts';
import { freePort } from '#stack/ports.ts';
import { acmeServer, type AcmeServer } from '../support/acme-server.ts';
import { testDns, type TestDns } from '../support/dns.ts';
import type { Provider } from '../support/provider/provider.ts';
import { chattyProvider } from './models.ts';
import { inbox, type Inbox, nameServer, sendTo, type Sent, signingDomain } from '../support/mail.ts';

const MAIL_DOMAIN = 'agents.example';
const SENDERS = 'friend.example';

export interface Outside {
  /** What the installation has to know of it. */
  env: Record<string, string>;
  /** Where the platform looks for proofs of custom domains. */
  dns: TestDns;
  authority: AcmeServer;
  /** Where answers to mail go. */
  relay: Inbox;
  remote: Remote;
  /** Of language models. */
  provider: Provider;
  /** Writes to an agent, signed as the sender's domain signs. */
  write(mail: { from: string; agent: string; subject: string; text: string }): Promise<Sent>;
  close(): Promise<void>;
}

export async function outsideWorld(): Promise<Outside> {
  const [dns, names, authority, relay, remote, provider, mailPort] = await Promise.all([
    testDns(),
    nameServer(),
    acmeServer(),
    inbox(),
    a2aRemote(),
    chattyProvider(),
    freePort(),
  ]);
  const sender = signingDomain(names.zone, SENDERS);
  return {
    env: {
      SVC_DOMAINS_DNS: dns.address,
      SVC_DOMAINS_TARGETS: '127.0.0.1',
      SVC_ACME_DIRECTORY_URL: authority.directoryUrl,
      SVC_IMPORT_LOCAL_HOSTS: hostOf(remote),
      SVC_LLM_LOCAL_HOSTS: provider.host,
      SVC_MAIL_DOMAIN: MAIL_DOMAIN,
      SVC_MAIL_PORT: String(mailPort),
      SVC_MAIL_DNS: names.address,
      SVC_MAIL_RELAY: `smtp://127.0.0.1:${relay.port}?ignoreTLS=true`,
    },
    dns,
    authority,
    relay,
    remote,
    provider,
    write: ({ from, agent, subject, text }) => {
      const mail = { from: `${from}@${SENDERS}`, to: `${agent}@${MAIL_DOMAIN}`, subject, text, messageId: `<${subject}@${SENDERS}>`, date: new Date(0) };
      return sendTo(mailPort, mail, sender);
    },
    close: async () => void (await Promise.all([dns.close(), names.close(), authority.close(), relay.close(), remote.close(), provider.close()])),
  };
}

/** Who may write to the agents of a trial. */
export const ALLOWED = [`@${SENDERS}`];
