// States of a custom domain, of its records and of its certificate, as people read them.
import type { Output } from '../../api/client.ts';

export type Domain = Output<'agents', 'domains'>[number];
export type DnsRecord = Domain['records'][number];

const RECORD: Record<DnsRecord['state'], string> = {
  found: 'is there',
  missing: 'is missing',
  different: 'is different',
  unanswered: 'could not be looked up',
  unchecked: 'was not checked yet',
};

const FOR: Record<DnsRecord['purpose'], string> = {
  ownership: 'Proves that the name is yours',
  routing: 'Leads visitors here',
  certificate: 'Asked for by the certificate authority',
};

export const recordWords = ({ purpose, state }: Pick<DnsRecord, 'purpose' | 'state'>): string => `${FOR[purpose]}; it ${RECORD[state]}.`;

/** What comes next, and who does it. */
export function domainWords({ state, url }: Pick<Domain, 'state' | 'url'>): string {
  switch (state) {
    case 'pending':
      return 'Add the records at the DNS provider of the domain. The platform looks for them automatically.';
    case 'active':
      return `The agent answers at ${url}.`;
    case 'suspended':
      return 'The proof is gone from the DNS. It is looked for once a day; put it back, then verify.';
    case 'failed':
      return 'It was not proved in time. Add the records, then verify to begin again.';
    case 'removed':
      return 'It is removed.';
  }
}

/** @param until written out already: "26 Nov 2026" */
export function certificateWords({ not_after, problem }: NonNullable<Domain['certificate']>, until: string): string {
  const has = not_after === null ? 'No certificate yet' : `Certificate until ${until}`;
  return problem === null ? `${has}.` : `${has}. ${problem}`;
}

/** As a line of a zone file, for who pastes many at once. */
export function zoneLine({ name, type, value }: Pick<DnsRecord, 'name' | 'type' | 'value'>): string {
  const recordData = type === 'TXT' ? `"${value.replaceAll(/["\\]/g, (sign) => `\\${sign}`)}"` : type === 'CNAME' && !value.endsWith('.') ? `${value}.` : value;
  return `${name.endsWith('.') ? name : `${name}.`} 300 IN ${type} ${recordData}`;
}
