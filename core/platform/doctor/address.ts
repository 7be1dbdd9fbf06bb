// Whether people and agents reach the installation at the addresses that it hands out.
import type { Finding } from '#contract/platform/doctor.ts';
import { CARD_KEYS_PATH } from '#contract/wire/a2a-card.ts';
import { insecureAddress, isOwnMachine } from '#contract/wire/secure-context.ts';
import { type Probe, probe, Unreached } from '#drivers/outbound/probe.ts';
import { publishedCardKeys } from '../../agents/card/keys.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { reporter } from './finding.ts';

const { ok, warning, problem } = reporter('address');
/** A name that no agent has: reserved names are refused at registration. */
const ANY_AGENT = 'svc-doctor';
const DAY_MS = 86_400_000;
const RENEW_DAYS = 14;
/** Tokens and signatures allow as much. */
const MOST_SKEW_SECONDS = 30;

export async function lookAtAddresses(ctx: Ctx): Promise<Finding[]> {
  const { baseUrl, agentsDomain } = ctx.config;
  const insecure = insecureAddress(baseUrl);
  const own = await lookAtBase(ctx);
  const first = insecure === undefined ? own : [problem(`${baseUrl} is plain http, and browsers keep no session there.`, insecure), ...own];
  return isOwnMachine(new URL(baseUrl).hostname)
    ? [...first, ok(`Agents have addresses below ${agentsDomain}: only this machine reaches them.`)]
    : [...first, ...(await lookAtAgents(ctx))];
}

async function lookAtBase(ctx: Ctx): Promise<Finding[]> {
  const { baseUrl } = ctx.config;
  const answer = await reached(`${baseUrl}${CARD_KEYS_PATH}`);
  if (answer instanceof Unreached) return [problem(sentenceOf(baseUrl, answer), remedyOf(new URL(baseUrl).host, answer))];
  const { keys } = await publishedCardKeys(ctx.drivers.vault, ctx.clock());
  const isHere = keys.some(({ kid }) => answer.body.includes(kid));
  if (!isHere)
    return [
      problem(
        `${baseUrl} answers (status ${answer.status}), but it is not this installation.`,
        'Lead the name to this installation: its proxy or DNS record points elsewhere, or SVC_BASE_URL names another address.',
      ),
    ];
  return [ok(`${baseUrl} leads to this installation.`), ...lookAtCertificate(new URL(baseUrl).host, answer, ctx.clock()), ...lookAtClock(answer, ctx.clock())];
}

async function lookAtAgents({ config: { baseUrl, agentsDomain } }: Ctx): Promise<Finding[]> {
  const host = `${ANY_AGENT}.${agentsDomain}`;
  const answer = await reached(`${new URL(baseUrl).protocol}//${host}/`);
  if (answer instanceof Unreached) {
    const wildcard = answer.why === 'no_such_name' ? `Add a DNS record for all names of agents: *.${agentsDomain.replace(/:\d+$/, '')}, to where ${baseUrl} leads.` : remedyOf(`*.${agentsDomain}`, answer); // prettier-ignore
    return [problem(sentenceOf(`${host}, as an agent would have it,`, answer), wildcard)];
  }
  return answer.body.includes('"agent_not_found"')
    ? [ok(`Names of agents below ${agentsDomain} lead to this installation.`)]
    : [
        problem(
          `${host} answers (status ${answer.status}), but not as this installation does for an agent that does not exist.`,
          `Let the proxy pass all names below ${agentsDomain} to this installation, with their Host header.`,
        ),
      ];
}

function lookAtCertificate(host: string, { certificateEnds }: Probe, now: number): Finding[] {
  if (certificateEnds === undefined) return [];
  const days = Math.floor((certificateEnds - now) / DAY_MS);
  return days < RENEW_DAYS
    ? [warning(`The certificate of ${host} ends in ${days} days.`, 'Renew it, and see why it was not renewed: authorities renew a month before.')]
    : [ok(`The certificate of ${host} is good for ${days} days.`)];
}

function lookAtClock({ clock }: Probe, now: number): Finding[] {
  const by = clock === undefined ? 0 : Math.round(Math.abs(clock - now) / 1000);
  return by > MOST_SKEW_SECONDS
    ? [warning(`The clock of what answers there differs by ${by} s from this process's.`, 'Let all machines, the proxy too, take the time from NTP.')]
    : [];
}

async function reached(url: string): Promise<Probe | Unreached> {
  try {
    return await probe(url);
  } catch (error) {
    if (error instanceof Unreached) return error;
    throw error;
  }
}

function sentenceOf(address: string, { why, message }: Unreached): string {
  const because = {
    no_such_name: 'its name has no address in the DNS',
    refused: 'the connection is refused',
    silent: 'nothing answers within 8 s',
    certificate_expired: 'its certificate has expired',
    certificate_of_another_name: 'its certificate is for another name',
    certificate_untrusted: 'its certificate is not by an authority that this machine trusts',
    broken: message,
  }[why];
  return `${address} cannot be reached from here: ${because}.`;
}

function remedyOf(host: string, { why }: Unreached): string {
  return {
    no_such_name: `Add a DNS record for ${host.replace(/:\d+$/, '')}, or correct SVC_BASE_URL.`,
    refused: 'Start the proxy in front of the platform, or correct the port in SVC_BASE_URL. Where the API itself is down: npm run logs api.',
    silent: 'Open the port in the firewall, and see that this machine may reach its own public address.',
    certificate_expired: 'Renew the certificate at the proxy.',
    certificate_of_another_name: `Let the certificate at the proxy name ${host}.`,
    certificate_untrusted: 'Serve the whole chain of certificates at the proxy. An authority of your own: name its PEM file in NODE_EXTRA_CA_CERTS.',
    broken: 'Look at the log of the proxy in front of the platform.',
  }[why];
}
