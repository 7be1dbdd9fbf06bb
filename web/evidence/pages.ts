import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../session/root.ts';
import { begin } from '../session/begin.ts';
import { keysQuery, receiptQuery } from './receipts/loaded.ts';

export interface ReceiptSearch {
  agent?: string | undefined;
  id?: string | undefined;
}

export const evidencePages = [
  createRoute({
    getParentRoute: () => root,
    path: '/receipts',
    validateSearch: ({ agent, id }): ReceiptSearch => ({ agent: named(agent), id: named(id) }),
    loaderDeps: ({ search }) => search,
    loader: ({ deps: { agent: of, id } }) => (of !== undefined && id !== undefined ? begin(receiptQuery(of, id), keysQuery) : undefined),
    component: lazyRouteComponent(() => import('./receipts/receipts.tsx'), 'Receipts'),
  }),
] as const;

function named(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= 200 ? value : undefined;
}
