import type { z } from 'zod';
import type { AgentCustomDomainOut } from '#contract/agents/domains.ts';
import type { AgentDomainsRow, DomainCertificatesRow } from '#db/tables.ts';
import { z as zod } from 'zod';
import { DNS_RECORD_STATES } from '#contract/states.ts';
import type { Ctx, PlatformConfig } from '../../kernel/ctx.ts';
import { displayName } from './hostname.ts';
import { proofName, proofValue, routingRecord, type DnsRecords } from './records.ts';
import { Challenge, challengeName } from './challenge.ts';
import { domainUrl } from './url.ts';
import type { AgentView } from '../agent/select.ts';

type Out = z.infer<typeof AgentCustomDomainOut>;

const SeenRecord = zod.object({ state: zod.enum(DNS_RECORD_STATES), values: zod.array(zod.string()) });
/** What a row keeps of the last look. */
const SeenRecords = zod.object({ ownership: SeenRecord, routing: SeenRecord, certificate: SeenRecord }).partial();

const UNCHECKED: DnsRecords = { state: 'unchecked', values: [] };

export async function presentDomains(ctx: Pick<Ctx, 'db' | 'config'>, agent: AgentView, domains: readonly AgentDomainsRow[]): Promise<Out[]> {
  const ids = domains.map(({ domain_id }) => domain_id);
  const certificates = await ctx.db('domain_certificates').whereIn('domain_id', ids).whereIn('state', ['ordered', 'issued', 'failed']).orderBy('created_at');
  return domains.map((domain) => present(ctx.config, agent, domain, certificates.filter((one) => one.domain_id === domain.domain_id))); // prettier-ignore
}

function present(config: PlatformConfig, agent: AgentView, domain: AgentDomainsRow, certificates: readonly DomainCertificatesRow[]): Out {
  const issued = certificates.find(({ state }) => state === 'issued');
  const ordered = certificates.find(({ state }) => state === 'ordered');
  const seen = SeenRecords.parse(domain.seen);
  const { hostname, problem } = domain;
  const shown = issued ?? ordered ?? certificates.at(-1);
  return {
    hostname,
    display_name: displayName(hostname),
    state: domain.state,
    url: domainUrl(config, hostname, issued !== undefined),
    records: [
      record('ownership', { type: 'TXT', name: proofName(hostname), value: proofValue(domain, agent.owner_id) }, seen.ownership),
      record('routing', routingRecord(config, agent.name, hostname), seen.routing),
      ...certificateRecord(hostname, ordered, seen.certificate),
    ],
    problem,
    certificate: shown
      ? {
          state: shown.state,
          not_after: issued?.not_after?.toISOString() ?? null,
          renew_at: issued?.renew_at?.toISOString() ?? null,
          problem: domain.certificate_problem,
        }
      : domain.certificate_problem === null
        ? null
        : { state: 'ordered', not_after: null, renew_at: null, problem: domain.certificate_problem },
    created_at: domain.created_at.toISOString(),
    prove_until: domain.prove_until.toISOString(),
    proved_at: domain.proved_at?.toISOString() ?? null,
    looked_at: domain.looked_at?.toISOString() ?? null,
  };
}

type OutRecord = Out['records'][number];

function record(purpose: OutRecord['purpose'], asked: Pick<OutRecord, 'type' | 'name' | 'value'>, { state, values }: DnsRecords = UNCHECKED): OutRecord {
  return { purpose, ...asked, state, seen: values };
}

/** For a wildcard the authority looks for a record that only the domain's owner can set. */
function certificateRecord(hostname: string, ordered: DomainCertificatesRow | undefined, seen: DnsRecords | undefined): OutRecord[] {
  const challenge = Challenge.safeParse(ordered?.challenge).data;
  if (challenge?.type !== 'dns-01') return [];
  return [record('certificate', { type: 'TXT', name: challengeName(hostname), value: challenge.value }, seen)];
}
