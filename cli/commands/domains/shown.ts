// A custom domain as people read it: what it is, what is missing, what was seen.
import type { z } from 'zod';
import type { AgentCustomDomainOut } from '#contract/agents/domains.ts';
import { plain } from '../../lib/output.ts';

export type Domain = z.infer<typeof AgentCustomDomainOut>;

const WORD: Record<Domain['records'][number]['state'], string> = {
  found: 'is there',
  missing: 'is missing',
  different: 'is different',
  unanswered: 'was not answered for',
  unchecked: 'was not looked at yet',
};

export function domainLines(domain: Domain): string[] {
  const { display_name, hostname, state, url, problem, records, certificate } = domain;
  const name = display_name === hostname ? plain(hostname) : `${plain(display_name)} (${hostname})`;
  return [
    `${name} is ${state}${state === 'active' ? `: ${url}` : ''}`,
    ...(problem === null ? [] : [`  ${plain(problem)}`]),
    ...records.flatMap((record) => [
      '',
      `  ${record.type} record for ${record.purpose}, which ${WORD[record.state]}`,
      `    name   ${record.name}`,
      `    value  ${record.value}`,
      ...(record.state === 'found' || record.seen.length === 0 ? [] : record.seen.map((value) => `    seen   ${plain(value)}`)),
    ]),
    ...(certificate === null ? [] : ['', `  ${certificateLine(certificate)}`]),
  ];
}

function certificateLine({ not_after, renew_at, problem }: NonNullable<Domain['certificate']>): string {
  const until =
    not_after === null
      ? 'No certificate yet'
      : `Certificate until ${not_after.slice(0, 10)}${renew_at === null ? '' : `, renewed from ${renew_at.slice(0, 10)} on`}`;
  return problem === null ? until : `${until}. ${plain(problem)}`;
}
