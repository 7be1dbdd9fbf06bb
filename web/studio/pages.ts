import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../app/root.tsx';

export const studioPages = [
  createRoute({
    getParentRoute: () => root,
    path: '/agents/mine/$name/goals',
    staticData: { needs: 'account' },
    validateSearch: ({ open, make }: Record<string, unknown>): { open?: true; make?: true } => ({
      ...(open === true && { open }),
      ...(make === true && { make }),
    }),
    component: lazyRouteComponent(() => import('./goals/goals.tsx'), 'Goals'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/agents/mine/$name/goals/$run_id',
    staticData: { needs: 'account' },
    component: lazyRouteComponent(() => import('./goals/goal.tsx'), 'Goal'),
  }),
] as const;
