// Which records a custom domain needs in the DNS.
import type { DnsRecordState } from '#contract/states.ts';
import { hostName } from '#contract/wire/host-owner.ts';
import type { AgentDomainsRow } from '#db/tables.ts';
import { isIP } from 'node:net';
import type { PlatformConfig } from '../../kernel/ctx.ts';
import { baseOf, isWildcard } from './hostname.ts';

export interface DnsRecords {
  state: DnsRecordState;
  values: string[];
}

/** Named for the platform: others prove names by records of their own beside it. */
export function proofName(hostname: string): string {
  return `_svc-challenge.${baseOf(hostname)}`;
}

/**
 * The account, so that the owner of the name sees whom the record admits; the nonce, so that a record of
 * another claim does not count.
 */
export function proofValue({ nonce }: Pick<AgentDomainsRow, 'nonce'>, ownerId: string): string {
  return `svc-verify account=${ownerId} nonce=${nonce}`;
}

/** Where visitors have to be led: a name, or addresses. */
export function targetsOf(config: PlatformConfig, agentName: string): string[] {
  const set = config.domains?.targets ?? [];
  if (set.length > 0) return [...set];
  return [`${agentName}.${hostName(config.agentsDomain) ?? config.agentsDomain}`];
}

export function routingRecord(config: PlatformConfig, agentName: string, hostname: string): { type: 'CNAME' | 'A'; name: string; value: string } {
  const targets = targetsOf(config, agentName);
  return { type: targets.every((target) => isIP(target) === 0) ? 'CNAME' : 'A', name: hostname, value: targets.join(', ') };
}

/** A name whose addresses show where the domain's visitors are led. */
export function visitedName({ hostname, nonce }: Pick<AgentDomainsRow, 'hostname' | 'nonce'>): string {
  return isWildcard(hostname) ? `svc-${nonce.slice(0, 8).toLowerCase()}.${baseOf(hostname)}` : hostname;
}
