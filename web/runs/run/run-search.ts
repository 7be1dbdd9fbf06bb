// What of a run is shown, as the address has it.
import { flagIn, numberIn, oneIn, textIn, wordsIn } from '../../kit/search.ts';

export const RUN_TABS = ['timeline', 'events', 'data', 'files', 'grants', 'receipt'] as const;
export type RunTab = (typeof RUN_TABS)[number];

export interface RunSearch {
  tab?: RunTab | undefined;
  find?: string | undefined;
  errors?: true | undefined;
  span?: string | undefined;
  look?: true | undefined;
  from?: number | undefined;
  to?: number | undefined;
  kinds?: string[] | undefined;
  event?: number | undefined;
  file?: string | undefined;
}

export function runSearch(search: Record<string, unknown>): RunSearch {
  return {
    tab: oneIn(RUN_TABS, search['tab']),
    find: textIn(search['find']),
    errors: flagIn(search['errors']),
    span: textIn(search['span'], 32),
    look: flagIn(search['look']),
    from: numberIn(search['from']),
    to: numberIn(search['to']),
    kinds: wordsIn(search['kinds']),
    event: numberIn(search['event']),
    file: textIn(search['file'], 500),
  };
}
