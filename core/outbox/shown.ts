// What an operator reads of a workflow in the engine's UI, and the way to the dashboard. Only names and ids:
// nothing that people wrote.
import type { StartWorkflow } from '#drivers/workflows/port.ts';

export function workflowDescription(
  { searchAttributes, skill }: Pick<StartWorkflow, 'searchAttributes' | 'skill'>,
  baseUrl: string,
): { summary: string; details: string } {
  const { SvcKind, SvcOwner, SvcAgent, SvcJob } = searchAttributes;
  const agent = SvcAgent ? ` of ${SvcAgent}${skill === undefined ? '' : `.${skill}`}` : '';
  const facts = [
    `owner \`${SvcOwner}\``,
    ...(SvcAgent ? [`[agent](${baseUrl}/agents/${SvcAgent})`] : []),
    ...(SvcJob ? [`[job](${baseUrl}/jobs/${SvcJob})`] : []),
  ];
  return { summary: SvcKind.replaceAll('_', ' ') + agent, details: facts.join(' · ') };
}
