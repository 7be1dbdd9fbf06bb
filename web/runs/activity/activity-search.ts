import { oneOf, text } from '../search.ts';
import { JOB_STATES } from '#contract/states.ts';

export { JOB_STATES };
export const JOB_KINDS = ['run', 'deploy', 'dag', 'heal', 'review', 'import', 'purge'] as const;

export interface ActivitySearch {
  kind?: (typeof JOB_KINDS)[number] | undefined;
  state?: (typeof JOB_STATES)[number] | undefined;
  agent?: string | undefined;
}

export function activitySearch(search: Record<string, unknown>): ActivitySearch {
  return { kind: oneOf(search, 'kind', JOB_KINDS), state: oneOf(search, 'state', JOB_STATES), agent: text(search, 'agent', 128) };
}
