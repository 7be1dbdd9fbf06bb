import { flagIn, numberIn, oneIn, textIn } from '../../kit/search.ts';
import type { RunSort } from '#contract/runs/my-runs.ts';
import { JOB_STATES, RUN_CALLERS } from '#contract/states.ts';
import { now } from '../../api/visit.ts';
import { KINDS } from '../list/words.ts';

export { JOB_STATES };

/** Hours. */
export const RANGES = { hour: 1, day: 24, week: 7 * 24, month: 30 * 24 } as const;
type Range = keyof typeof RANGES;
const NAMES: readonly Range[] = ['hour', 'day', 'week', 'month'];

export const ORDERS = ['oldest', 'longest', 'costliest'] as const satisfies readonly RunSort[];

export interface ActivitySearch {
  /** Absent: the newest first. */
  sort?: Exclude<RunSort, 'newest'> | undefined;
  find?: string | undefined;
  since?: Range | undefined;
  kind?: string | undefined;
  state?: (typeof JOB_STATES)[number] | undefined;
  caller?: (typeof RUN_CALLERS)[number] | undefined;
  agent?: string | undefined;
  version?: string | undefined;
  charged?: true | undefined;
  /** Micro-dollars. */
  cost?: number | undefined;
  probes?: true | undefined;
}

/** What the page of runs reads. A range begins at a full minute, so that a page and its next one agree. */
export function activityInput({ find, since, cost, ...filters }: ActivitySearch) {
  const from = since === undefined ? undefined : new Date((Math.floor(now() / 60_000) - RANGES[since] * 60) * 60_000).toISOString();
  return { query: { ...filters, search: find, from, min_cost_micros: cost, limit: 50 } };
}

export function activitySearch(search: Record<string, unknown>): ActivitySearch {
  const cost = numberIn(search['cost']);
  return {
    sort: oneIn(ORDERS, search['sort']),
    find: textIn(search['find'], 200),
    since: oneIn(NAMES, search['since']),
    kind: oneIn(Object.keys(KINDS), search['kind']),
    state: oneIn(JOB_STATES, search['state']),
    caller: oneIn(RUN_CALLERS, search['caller']),
    agent: textIn(search['agent'], 128),
    version: textIn(search['version'], 128),
    charged: flagIn(search['charged']),
    cost: cost !== undefined && Number.isSafeInteger(cost) && cost > 0 ? cost : undefined,
    probes: flagIn(search['probes']),
  };
}
