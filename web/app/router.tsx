import { createRouter } from '@tanstack/react-router';
import { ApiError } from '#contract/client.ts';
import { queries } from '../api/query.ts';
import { Failure } from '../kit/failure.tsx';
import { Loading, Page } from '../kit/page.tsx';
import { NotHere } from './not-here.tsx';
import { tree } from './pages.ts';
import { SignInFirst } from './sign-in.tsx';

export const router = createRouter({
  routeTree: tree,
  context: { queries },
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
  defaultPendingMs: 150,
  defaultPendingComponent: Loading,
  defaultErrorComponent: ({ error, reset }) => <PageFailure error={error} onRetry={reset} />,
  defaultNotFoundComponent: NotHere,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

function PageFailure({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  if (error instanceof ApiError && error.status === 401) return <SignInFirst />;
  const retry = (): void => {
    void queries.resetQueries({ predicate: ({ state }) => state.status === 'error' }).then(onRetry);
  };
  return (
    <Page title={error instanceof ApiError && error.status === 404 ? 'Not found' : 'This page could not be shown'}>
      <Failure error={error} onRetry={retry} />
    </Page>
  );
}
