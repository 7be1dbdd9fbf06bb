// Proposals of the autopilot as lines.
import type { ProposalOut } from '#contract/studio/autopilot.ts';
import { plain, table, type Output } from '../lib/output.ts';

export function proposalRows(items: readonly ProposalOut[]): string[] {
  if (items.length === 0) return [];
  return table(
    ['PROPOSAL', 'AGENT', 'STATE', 'SEVERITY', 'ABOUT', 'TITLE'],
    items.map(({ proposal_id, agent, state, severity, category, title }) => [proposal_id, agent, state, severity, category, plain(title)]),
  );
}

export function proposalLines(proposal: ProposalOut, output: Output): string[] {
  const { agent, state, severity, category, title, idea, rationale, evidence, run_id, reason, expires_at } = proposal;
  return [
    `${agent}: ${plain(title)}`,
    `${state}, ${severity}, about ${category}${state === 'open' ? `, until ${expires_at}` : ''}`,
    '',
    `What to do: ${plain(idea)}`,
    `Why: ${plain(rationale)}`,
    ...evidence.map(({ kind, id, text }) => `  ${kind}${id === null ? '' : ` ${id}`}: ${plain(text)}`),
    ...(reason === null || reason === '' ? [] : [`You said: ${plain(reason)}`]),
    ...(run_id === null ? [] : [output.advice(`It is carried out by: svc studio get ${run_id}`)]),
  ];
}
