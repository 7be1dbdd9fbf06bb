// The webhook that a recipe sends to: its address is the first secret of the brief, its host is declared,
// since agents reach no other.
import { z } from 'zod';
import { refuseInput } from './inputs.ts';

const HostName = z
  .string()
  .max(253)
  .regex(/^(?=.*[a-z])[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+$/, 'must be one host name in lower case, such as hooks.example.com');

/** An input of every recipe that sends. */
export const webhookHost = HostName.optional().describe(
  'Host of the address in the first secret, to which the agent sends. Known without it for Slack, Discord and Zapier.',
);

const KNOWN: readonly [name: RegExp, host: string][] = [
  [/slack/i, 'hooks.slack.com'],
  [/discord/i, 'discord.com'],
  [/zapier/i, 'hooks.zapier.com'],
];

export interface WebhookSettings {
  secret: string;
  hosts: string[];
}

/** Null: the brief names no secret. @throws Invalid where the host is not known */
export function webhookOf(integrations: readonly string[], host: string | undefined): WebhookSettings | null {
  const [secret] = integrations;
  if (secret === undefined) return null;
  const known = host ?? KNOWN.find(([name]) => name.test(secret))?.[1];
  return known === undefined ? refuseInput(['webhook_host'], `is missing: name the host of the address in ${secret}`) : { secret, hosts: [known] };
}

/** Of a service on the internet, as an agent reaches it: by name, on the usual ports. */
export const PublicAddress = z
  .url({ protocol: /^https?$/, hostname: /^(?=.*[a-z])[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i })
  .max(1_000)
  .refine((address) => !URL.canParse(address) || new URL(address).port === '', 'agents reach only the ports 80 and 443: leave the port out')
  .refine((address) => !URL.canParse(address) || new URL(address).username === '', 'has a user in it: store what is secret as a secret');

/** Each once. */
export function hostsOf(addresses: readonly string[]): string[] {
  return [...new Set(addresses.map((address) => new URL(address).hostname))];
}
