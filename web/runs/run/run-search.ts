// What of a run is shown, as the address has it.
import { flag, list, number, oneOf, text } from '../search.ts';

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
    tab: oneOf(search, 'tab', RUN_TABS),
    find: text(search, 'find'),
    errors: flag(search, 'errors'),
    span: text(search, 'span', 32),
    look: flag(search, 'look'),
    from: number(search, 'from'),
    to: number(search, 'to'),
    kinds: list(search, 'kinds'),
    event: number(search, 'event'),
    file: text(search, 'file', 500),
  };
}
