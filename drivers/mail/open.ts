import type { MailConfiguration } from './environment.ts';
import type { Mail } from './port.ts';
import { createMailResolver, isAbsent, type MailResolver } from './resolver.ts';
import { sendMail, type SendOptions } from './send.ts';
import { verifyMail } from './verify.ts';

/** `own`: what only tests have otherwise. */
export function openMail({ domain, hostname, selector, relay, dnsServers, arcSealers }: MailConfiguration, own: Partial<SendOptions> = {}): Mail {
  const resolver = own.resolver ?? createMailResolver(dnsServers);
  return {
    domain,
    hostname,
    selector,
    verify: (mail) => verifyMail(mail, { hostname, resolver, arcSealers }),
    send: (mail) => sendMail(mail, { hostname, relay, ...own, resolver }),
    look: (record) => look(resolver, record.name, record.type),
  };
}

async function look(resolver: MailResolver, name: string, type: 'MX' | 'TXT'): Promise<string[] | undefined> {
  try {
    return (await resolver(name, type)).map((one: unknown) => {
      if (Array.isArray(one)) return one.join('');
      return typeof one === 'object' && one !== null && 'exchange' in one ? String(one.exchange).toLowerCase() : String(one);
    });
  } catch (error) {
    return isAbsent(error) ? [] : undefined;
  }
}
