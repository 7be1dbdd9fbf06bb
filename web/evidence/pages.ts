import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../app/root.tsx';

export interface ReceiptSearch {
  agent?: string | undefined;
  id?: string | undefined;
}

export const evidencePages = [
  createRoute({
    getParentRoute: () => root,
    path: '/receipts',
    validateSearch: ({ agent, id }): ReceiptSearch => ({ agent: named(agent), id: named(id) }),
    component: lazyRouteComponent(() => import('./receipts/receipts.tsx'), 'Receipts'),
  }),
] as const;

function named(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= 200 ? value : undefined;
}
