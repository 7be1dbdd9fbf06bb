import { type AnyRoute, createRouter } from '@tanstack/react-router';
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
  // The default shows a placeholder for half a second, also where the page arrives after it in a moment.
  defaultPendingMinMs: 0,
  defaultPendingComponent: Loading,
  defaultErrorComponent: ({ error, reset }) => <PageFailure error={error} onRetry={reset} />,
  defaultNotFoundComponent: NotHere,
});

/** Asks for the script of the page that the address names, before the frame around it is made. */
export function preloadPage(): void {
  const routes: Record<string, AnyRoute> = router.routesById;
  for (const { routeId } of router.matchRoutes(router.latestLocation)) void routes[routeId]?.options.component?.preload?.();
}

// A click is answered by the next frame; the page that it opens is made after that.
const { load } = router;
router.load = async (options) => {
  if (!options?.sync) await nextFrame();
  await load(options);
};

/** Resolves after what has changed is painted; in a tab that is not seen there are no frames. */
function nextFrame(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 100);
    requestAnimationFrame(() => setTimeout(resolve));
  });
}

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
