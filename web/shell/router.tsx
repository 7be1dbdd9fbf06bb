import { type AnyRoute, createRouter, type RouterHistory } from '@tanstack/react-router';
import { ApiError } from '#contract/client.ts';
import { queries } from '../api/query.ts';
import { Failure } from '../kit/failure.tsx';
import { Loading, Page } from '../kit/page.tsx';
import { nextFrame } from './next-frame.ts';
import { NotHere } from './not-here.tsx';
import { tree } from './pages.ts';
import { SignInFirst } from '../session/sign-in.tsx';

export type DashboardRouter = ReturnType<typeof createDashboardRouter>;

/** @param at where a server renders: the address that is asked for */
export function createDashboardRouter(at?: RouterHistory) {
  return createRouter({
    routeTree: tree,
    context: { queries: queries() },
    ...(at ? { history: at } : { scrollRestoration: true }),
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    defaultPendingMs: 150,
    // The default shows a placeholder for half a second, also where the page arrives after it in a moment.
    defaultPendingMinMs: 0,
    defaultPendingComponent: Loading,
    defaultErrorComponent: ({ error, reset }) => <PageFailure error={error} onRetry={reset} />,
    defaultNotFoundComponent: NotHere,
  });
}

/** Asks for the script of the page that the address names, before the frame around it is made. */
export function preloadPage(router: DashboardRouter): void {
  const routes: Record<string, AnyRoute> = router.routesById;
  for (const { routeId } of router.matchRoutes(router.latestLocation)) void routes[routeId]?.options.component?.preload?.();
}

/** From now on a click is answered by the next frame; the page that it opens is made after that. */
export function answerFirst(router: DashboardRouter): void {
  const { load } = router;
  router.load = async (options) => {
    if (!options?.sync) await nextFrame();
    await load(options);
  };
}

declare module '@tanstack/react-router' {
  interface Register {
    router: DashboardRouter;
  }
}

function PageFailure({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  if (error instanceof ApiError && error.status === 401) return <SignInFirst />;
  const retry = (): void => {
    void queries()
      .resetQueries({ predicate: ({ state }) => state.status === 'error' })
      .then(onRetry);
  };
  return (
    <Page title={error instanceof ApiError && error.status === 404 ? 'Not found' : 'This page could not be shown'}>
      <Failure error={error} onRetry={retry} />
    </Page>
  );
}
