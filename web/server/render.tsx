// Renders one page for one reader, on a server.
import { AsyncLocalStorage } from 'node:async_hooks';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { dehydrate, type Query, QueryClient } from '@tanstack/react-query';
import { createMemoryHistory } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { renderToPipeableStream } from 'react-dom/server';
import { ApiError } from '#contract/client.ts';
import type { RenderedPage } from '#contract/wire/rendering.ts';
import { type Visit, visitsAre } from '../api/visit.ts';
import { App } from '../shell/app.tsx';
import { isPaged, type Rendered } from '../shell/rendered.ts';
import { createDashboardRouter, type DashboardRouter } from '../shell/router.tsx';
import { SCHEMAS } from '../form/schemas-key.ts';

const visits = new AsyncLocalStorage<Visit>();
visitsAre(() => {
  const visit = visits.getStore();
  if (!visit) throw new Error('nothing is read outside of a visit');
  return visit;
});

export interface RenderRequest {
  /** Path and query. */
  url: string;
  /** Of the API: https://svc.example.com */
  origin: string;
  /** What style elements carry. */
  nonce: string;
  fetch: typeof fetch;
  signal: AbortSignal;
}

/**
 * @returns undefined where the page is better made by the browser: it leads elsewhere, or something is
 * refused
 */
export async function render({ url, origin, nonce, fetch, signal }: RenderRequest): Promise<RenderedPage | undefined> {
  // What was read is dropped with the visit, not after a time. What fails is asked again by the browser.
  const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity, gcTime: Infinity, retry: false } } });
  const at = Date.now();
  const visit: Visit = { queries, fetch, origin, now: () => at };
  return await visits.run(visit, async () => {
    const router = await routerAt(url);
    if (!router) return undefined;
    await settled(queries);
    // What a part of the page only looks for, another one may have read after it: then all of it is rendered
    // with that.
    while (!signal.aborted) {
      const known = countOf(queries);
      const html = await htmlOf(<App router={router} nonce={() => nonce} />, signal);
      if (html === undefined) return undefined;
      if (countOf(queries) !== known) continue;
      const rendered: Rendered = { at, read: dehydrate(queries, { shouldDehydrateQuery: isSent }) };
      return { html, state: JSON.stringify(rendered).replaceAll('<', String.raw`\u003c`) };
    }
    return undefined;
  });
}

/**
 * With what its address shows; an address that is written in another way than the router's own is the same
 * page.
 */
async function routerAt(url: string, again = true): Promise<DashboardRouter | undefined> {
  const router = createDashboardRouter(createMemoryHistory({ initialEntries: [url] }));
  await router.load();
  const result = router._serverResult;
  if (result?.type === 'render') return result.status === 500 ? undefined : router;
  const { href } = result?.redirect.options ?? {};
  return again && href?.startsWith('/') ? await routerAt(href, false) : undefined;
}

/** What is not the same after it was written and read is read by the browser. */
const isSent = ({ state, queryKey }: Query): boolean =>
  state.status === 'success' && queryKey[0] !== SCHEMAS && isJson(isPaged(state.data) ? state.data.pages : state.data);

/** Resolves when nothing is asked for any more: what loaders began, and what they ask then. */
async function settled(queries: QueryClient): Promise<void> {
  while (queries.isFetching() > 0) {
    await Promise.all(
      queries
        .getQueryCache()
        .findAll({ fetchStatus: 'fetching' })
        .map(async (query) => await query.promise?.catch(() => undefined)),
    );
    await setImmediate();
  }
}

const countOf = (queries: QueryClient): number => queries.getQueryCache().findAll({ predicate: ({ state }) => state.status === 'success' }).length;

/**
 * All of it at once: parts that come later would need scripts in the page. @returns undefined: the API
 * refused something, or nobody waits for it any more
 */
function htmlOf(app: ReactNode, signal: AbortSignal): Promise<string | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
  let isWhole = true;
  const fail = (error: unknown): void => {
    isWhole = false;
    // Why a page is refused, the browser says.
    if (error instanceof ApiError || signal.aborted) resolve(undefined);
    else reject(error);
  };
  const stream = renderToPipeableStream(app, {
    progressiveChunkSize: Infinity,
    onError: fail,
    onAllReady: () => void (isWhole && text(stream.pipe(new PassThrough())).then(resolve, reject)),
  });
  signal.addEventListener('abort', () => stream.abort());
  return promise;
}

function isJson(value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.every(isJson);
  return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every((one) => one === undefined || isJson(one));
}
