import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../app/root.tsx';
import { pagesOf, read } from '../api/query.ts';
import { begin } from '../app/begin.ts';
import { keysQuery, receiptQuery } from './receipts/loaded.ts';

export interface ReceiptSearch {
  agent?: string | undefined;
  id?: string | undefined;
}

export interface ProofSearch {
  agent?: string | undefined;
  /** The form is open. */
  run?: true;
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
  createRoute({
    getParentRoute: () => root,
    path: '/proofs',
    staticData: { needs: 'account' },
    validateSearch: ({ agent, run }): ProofSearch => ({ agent: named(agent), ...(run === true && { run }) }),
    component: lazyRouteComponent(() => import('./proofs/proofs.tsx'), 'Proofs'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/proofs/$proof_id',
    staticData: { needs: 'account' },
    loader: ({ params: { proof_id } }) => begin(read('proofDetail', 'get', { params: { proof_id } }), keysQuery),
    component: lazyRouteComponent(() => import('./proofs/own-proof.tsx'), 'OwnProof'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/control-room',
    staticData: { needs: 'account' as const },
    loader: () => begin(read('controlRoom', 'get', { query: {} }), pagesOf('policyDenials', 'list', { query: { limit: 20 } })),
    component: lazyRouteComponent(() => import('./control-room/control-room.tsx'), 'ControlRoom'),
  }),
] as const;

function named(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= 200 ? value : undefined;
}
