import { oneIn, textIn } from '../../kit/search.ts';
import { JOB_STATES } from '#contract/states.ts';

export { JOB_STATES };
export const JOB_KINDS = [
  'run',
  'deploy',
  'dag',
  'heal',
  'review',
  'proof',
  'adversarial_review_loop',
  'protocol_simulation',
  'kernel_simulation',
  'kernel_evolution',
  'import',
  'purge',
] as const;

export interface ActivitySearch {
  kind?: (typeof JOB_KINDS)[number] | undefined;
  state?: (typeof JOB_STATES)[number] | undefined;
  agent?: string | undefined;
}

/** What the page of runs reads. */
export const activityInput = ({ kind, state, agent }: ActivitySearch) => ({ query: { kind, state, agent, limit: 50 } });

export function activitySearch(search: Record<string, unknown>): ActivitySearch {
  return { kind: oneIn(JOB_KINDS, search['kind']), state: oneIn(JOB_STATES, search['state']), agent: textIn(search['agent'], 128) };
}
