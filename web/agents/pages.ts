import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../app/root.tsx';

export const agentsPages = [
  createRoute({ getParentRoute: () => root, path: '/agents/$name', component: lazyRouteComponent(() => import('./agents/agent.tsx'), 'Agent') }),
] as const;
