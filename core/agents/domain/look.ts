// One look at the DNS for one custom domain. It waits for other people's name servers, so never within a
// transaction.
import { isIP } from 'node:net';
import type { AgentDomainsRow } from '#db/tables.ts';
import { type DnsResolver, DnsUnanswered } from '#drivers/dns/port.ts';
import type { PlatformConfig } from '../../kernel/ctx.ts';
import { proofName, proofValue, type DnsRecords, targetsOf, visitedName } from './records.ts';

const SHOWN_VALUES = 20;
const SHOWN_CHARACTERS = 300;

export interface DomainLookup {
  ownership: DnsRecords;
  routing: DnsRecords;
  /** All values at the name of the proof, other agents' among them; undefined: unanswered. */
  proofs: readonly string[] | undefined;
}

export interface OwnedDomain {
  domain: Pick<AgentDomainsRow, 'hostname' | 'nonce'>;
  ownerId: string;
  agentName: string;
}

export async function lookAt(dns: DnsResolver, config: PlatformConfig, owned: OwnedDomain): Promise<DomainLookup> {
  const [proofs, routing] = await Promise.all([answered(dns.txt(proofName(owned.domain.hostname))), routingOf(dns, config, owned)]);
  const isProved = proofs?.includes(proofValue(owned.domain, owned.ownerId)) ?? false;
  return { ownership: seen(proofs, isProved), routing, proofs };
}

/** Visitors are led here when every address they get is one of ours. */
async function routingOf(dns: DnsResolver, config: PlatformConfig, { domain, agentName }: OwnedDomain): Promise<DnsRecords> {
  const visited = visitedName(domain);
  const targets = targetsOf(config, agentName);
  const names = targets.filter((target) => isIP(target) === 0);
  const [alias, addresses, ...ours] = await Promise.all([
    answered(dns.alias(visited)),
    answered(dns.addresses(visited)),
    ...names.map((name) => answered(dns.addresses(name))),
  ]);
  if (alias !== undefined && names.includes(alias)) return { state: 'found', values: [alias] };
  const expected = new Set([...targets.filter((target) => isIP(target) > 0), ...ours.flatMap((some) => some ?? [])]);
  const isRouted = addresses !== undefined && addresses.length > 0 && addresses.every((address) => expected.has(address));
  const shown = seen(addresses, isRouted);
  return alias === undefined ? shown : { ...shown, values: [alias, ...shown.values] };
}

function seen(values: readonly string[] | undefined, found: boolean): DnsRecords {
  if (values === undefined) return { state: 'unanswered', values: [] };
  const shown = values.slice(0, SHOWN_VALUES).map((value) => value.slice(0, SHOWN_CHARACTERS));
  return { state: found ? 'found' : values.length === 0 ? 'missing' : 'different', values: shown };
}

async function answered<T>(question: Promise<T>): Promise<T | undefined> {
  return question.catch((error: unknown) => {
    if (error instanceof DnsUnanswered) return undefined;
    throw error;
  });
}
