// Mail comes in at the process that answers strangers anyway: it may be stopped and started at any moment,
// and holds no work in flight.
import type { Logger } from 'pino';
import type { Ctx } from '#core/kernel/ctx.ts';
import { newId } from '#core/kernel/ids.ts';
import { mayReceive, receiveMail } from '#core/conversation/mail/receive.ts';
import { mailServerConfiguration } from '#drivers/mail/environment.ts';
import type { ApiEnvironment } from './environment.ts';

export interface RunningMail {
  /** `127.0.0.1:2525` */
  address: string;
  close(): Promise<void>;
}

/** Undefined: this installation has no mail domain. */
export async function startMail(env: ApiEnvironment, base: Ctx, log: Logger): Promise<RunningMail | undefined> {
  const { mail } = base.drivers;
  if (!mail) return undefined;
  const { startMailReceiver } = await import('#drivers/mail/receive.ts');
  const { port, listen, tls } = mailServerConfiguration(env);
  const ctx = (): Ctx => ({ ...base, actor: { kind: 'platform', service: 'mail' }, requestId: newId('req', base.clock()) });
  const receiver = await startMailReceiver({
    port,
    listen,
    tls,
    hostname: mail.hostname,
    recipient: (address) => mayReceive(ctx(), address),
    deliver: async (incoming) => {
      const refusal = await receiveMail(ctx(), incoming);
      // No content: only sizes and outcomes.
      log.info({ bytes: incoming.raw.length, recipients: incoming.recipients.length, code: refusal?.code ?? 250 }, 'mail came');
      return refusal;
    },
    onError: (error) => log.error({ err: error }, 'mail could not be taken'),
  });
  return { address: `${listen}:${receiver.port}`, close: () => receiver.close() };
}
