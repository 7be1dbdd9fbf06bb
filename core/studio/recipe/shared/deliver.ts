// Posts a message to a webhook whose address is a secret. Without the secret the agent works, and says that
// nothing was sent.
import { type RunContext, SecretMissing, SkillInvocationError } from '@svc/sdk';
import { boundedFetch } from './bounded-fetch.ts';

/** `off`: the agent has no webhook; `no_secret`: its address is not stored yet. */
export const DELIVERIES = ['sent', 'off', 'no_secret'] as const;
export type WebhookDelivery = (typeof DELIVERIES)[number];

export interface WebhookTarget {
  /** Name of the secret with the address. */
  secret: string;
  hosts: readonly string[];
}

export interface WebhookMessage {
  /** For people. */
  text: string;
  /** For programs. */
  data: Readonly<Record<string, unknown>>;
}

/** What of the run context is used. */
type Sender = Pick<RunContext, 'secret' | 'signal' | 'log'>;

const MAX_TEXT = 1_900;

/** @throws SkillInvocationError when the webhook does not take it */
export async function deliver(ctx: Sender, webhook: WebhookTarget | null, { text, data }: WebhookMessage): Promise<WebhookDelivery> {
  if (!webhook) return 'off';
  const address = secretOrNone(ctx, webhook.secret);
  if (address === undefined) {
    ctx.log.warn('nothing was sent: the secret is not set', { secret: webhook.secret });
    return 'no_secret';
  }
  const host = URL.canParse(address) ? new URL(address).hostname : '';
  if (!address.startsWith('https://') || host === '')
    throw new SkillInvocationError(`The secret ${webhook.secret} is no https:// address: set it again with "svc secrets set".`, { status: 409 });
  const body = JSON.stringify(bodyFor(host, text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text, data));
  const headers = { 'content-type': 'application/json' };
  const { status } = await boundedFetch(address, { hosts: webhook.hosts, signal: ctx.signal, method: 'POST', headers, body, maxBytes: 64 * 1024 });
  if (status >= 400)
    throw new SkillInvocationError(`The webhook of ${webhook.secret} answered ${status}: check that its address is still valid.`, { status: 502 });
  return 'sent';
}

/** Slack and Discord take a text, and refuse what they do not know. */
function bodyFor(host: string, text: string, data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (host === 'hooks.slack.com') return { text };
  if (host === 'discord.com') return { content: text };
  return { text, data };
}

/** Undefined: it is not set. */
export function secretOrNone(ctx: Pick<RunContext, 'secret'>, name: string): string | undefined {
  try {
    return ctx.secret(name);
  } catch (error) {
    if (error instanceof SecretMissing) return undefined;
    throw error;
  }
}
