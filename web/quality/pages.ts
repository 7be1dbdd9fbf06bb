import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { read } from '../api/query.ts';
import { keysQuery } from '../evidence/receipts/loaded.ts';
import { textIn } from '../kit/search.ts';
import { begin } from '../session/begin.ts';
import { root } from '../session/root.ts';

export interface ProofSearch {
  agent?: string | undefined;
  /** The form is open. */
  run?: true;
}

export const qualityPages = [
  createRoute({
    getParentRoute: () => root,
    path: '/proofs',
    staticData: { needs: 'account' },
    validateSearch: ({ agent, run }): ProofSearch => ({ agent: textIn(agent, 200), ...(run === true && { run }) }),
    component: lazyRouteComponent(() => import('./proofs/proofs.tsx'), 'Proofs'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/proofs/$proof_id',
    staticData: { needs: 'account' },
    loader: ({ params: { proof_id } }) => begin(read('agentProofs', 'get', { params: { proof_id } }), keysQuery),
    component: lazyRouteComponent(() => import('./proofs/own-proof.tsx'), 'OwnProof'),
  }),
] as const;
