// The root of all routes: what each page gets. shell/pages.ts puts the frame around it.
import { createRootRouteWithContext } from '@tanstack/react-router';
import type { QueryClient } from '@tanstack/react-query';
import { sessionQuery } from './session.ts';

export interface RouterContext {
  queries: QueryClient;
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** account: only for signed-in users; operator: only for operators. Absent: for everyone. */
    needs?: 'account' | 'operator';
  }
}

export const root = createRootRouteWithContext<RouterContext>()({ loader: ({ context }) => context.queries.ensureQueryData(sessionQuery) });
