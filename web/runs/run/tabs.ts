// The scripts of a run's tabs, each loaded when it is shown; the page's loader begins with that of the
// address.
import type { RunTab } from './run-search.ts';

export const tabScripts = {
  events: () => import('./events/event-list.tsx'),
  data: () => import('./input-output.tsx'),
  files: () => import('./artifacts.tsx'),
  grants: () => import('./run-grants.tsx'),
  receipt: () => import('./run-receipt.tsx'),
} satisfies Partial<Record<RunTab, () => Promise<unknown>>>;

export function loadTab(tab: RunTab): void {
  // What fails is loaded again when it is shown.
  if (tab !== 'timeline') tabScripts[tab]().catch(() => undefined);
}
