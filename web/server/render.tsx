// Renders one page for one reader, on a server.
import { AsyncLocalStorage } from 'node:async_hooks';
import { Writable } from 'node:stream';
import { dehydrate, QueryClient } from '@tanstack/react-query';
import { createMemoryHistory } from '@tanstack/react-router';
import { renderToPipeableStream } from 'react-dom/server';
import type { RenderedPage } from '#contract/wire/rendering.ts';
import { type Visit, visitsAre } from '../api/visit.ts';
import { App } from '../app/app.tsx';
import type { Rendered } from '../app/rendered.ts';
import { createDashboardRouter } from '../app/router.tsx';

const visits = new AsyncLocalStorage<Visit>();
visitsAre(() => {
  const visit = visits.getStore();
  if (!visit) throw new Error('nothing is read outside of a visit');
  return visit;
});

export interface RenderRequest {
  /** Path and query. */
  url: string;
  origin: string;
  fetch: typeof fetch;
  signal: AbortSignal;
}

/** @returns undefined where the page is better made by the browser: it leads elsewhere, or something is refused */
export async function render({ url, origin, fetch, signal }: RenderRequest): Promise<RenderedPage | undefined> {
  // What was read is dropped with the visit, not after a time. What fails is asked again by the browser.
  const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity, gcTime: Infinity, retry: false } } });
  const at = Date.now();
  const visit: Visit = { queries, fetch, origin, now: () => at };
  return await visits.run(visit, async () => {
    const router = createDashboardRouter(createMemoryHistory({ initialEntries: [url] }));
    await router.load();
    const result = router._serverResult;
    if (result?.type !== 'render' || result.status === 500) return undefined;
    await settled(queries);
    // What a part of the page only looks for, another one may have read after it: then all of it is rendered with that.
    let html: string | undefined;
    for (let known = -1; known !== countOf(queries) && !signal.aborted; ) {
      known = countOf(queries);
      html = await htmlOf(<App router={router} nonce={() => 'SVC_NONCE'} />, signal);
      if (html === undefined) return undefined;
    }
    if (html === undefined) return undefined;
    const rendered: Rendered = { at, read: dehydrate(queries, { shouldDehydrateQuery: ({ state }) => state.status === 'success' && isJson(state.data) }) };
    return { html, state: JSON.stringify(rendered).replaceAll('<', String.raw`\u003c`) };
  });
}

/** Resolves when nothing is asked for any more: what loaders began. */
function settled(queries: QueryClient): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (queries.isFetching() > 0) return;
      stop();
      resolve();
    };
    const stop = queries.getQueryCache().subscribe(look);
    look();
  });
}

const countOf = (queries: QueryClient): number => queries.getQueryCache().findAll({ predicate: ({ state }) => state.status === 'success' }).length;

/** All of it at once: parts that come later would need scripts in the page. */
function htmlOf(app: React.ReactNode, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const out = new Writable({
      write(chunk: Buffer, _encoding, done) {
        chunks.push(chunk);
        done();
      },
    });
    out.once('finish', () => resolve(Buffer.concat(chunks).toString()));
    let failed = false;
    const stream = renderToPipeableStream(app, {
      progressiveChunkSize: Infinity,
      onAllReady: () => (failed ? resolve(undefined) : void stream.pipe(out)),
      onShellError: () => resolve(undefined),
      onError: (error) => {
        failed = true;
        console.error(error);
      },
    });
    signal.addEventListener('abort', () => {
      failed = true;
      stream.abort();
      resolve(undefined);
    });
  });
}

/** Whether it is the same after it was written and read; what is not is read by the browser. */
function isJson(value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.every(isJson);
  return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every((one) => one === undefined || isJson(one));
}
