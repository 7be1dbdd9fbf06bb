// The root of all routes: what each page gets, and the frame around it.
import { createRootRouteWithContext, Outlet } from '@tanstack/react-router';
import type { QueryClient } from '@tanstack/react-query';
import { Shell } from './shell.tsx';
import { NotHere } from './not-here.tsx';
import { sessionQuery } from './session.ts';

export interface RouterContext {
  queries: QueryClient;
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** account: shown to who is signed in; operator: to operators alone. Absent: to everyone. */
    needs?: 'account' | 'operator';
  }
}

export const root = createRootRouteWithContext<RouterContext>()({
  loader: ({ context }) => context.queries.ensureQueryData(sessionQuery),
  component: () => (
    <Shell>
      <Outlet />
    </Shell>
  ),
  notFoundComponent: NotHere,
});
