// The Koa application: what every request passes, in order.
import Router from '@koa/router';
import Koa from 'koa';
import type { Group } from '#contract/kit.ts';
import { compression } from './http/compression.ts';
import type { HttpDeps } from './http/deps.ts';
import { frame } from './http/frame.ts';
import type { ContractHandlers } from './http/handlers.ts';
import type { Part } from './http/health.ts';
import { createMetrics, type Metrics } from './http/metrics.ts';
import { mount } from './http/mount.ts';
import { pages, type PagesOptions } from './http/pages.ts';
import { securityHeaders } from './http/security-headers.ts';
import type { HttpMiddleware, HttpState } from './http/state.ts';

export interface AppOptions extends HttpDeps {
  /** What /readyz asks. */
  parts?: Part[];
  metrics?: Metrics;
  documents?: PagesOptions['documents'];
  /** Pages for people at every address that nothing else has; absent: there are none. */
  dashboard?: HttpMiddleware | undefined;
}

/** Routes that are no part of the public API: served, not described. */
export interface Internal<C extends Record<string, Group>> {
  contract: C;
  handlers: ContractHandlers<C>;
}

export function createApp<C extends Record<string, Group>, I extends Record<string, Group> = Record<string, never>>(
  contract: C,
  handlers: ContractHandlers<C>,
  options: AppOptions,
  internal?: Internal<I>,
): Koa<HttpState> {
  const { config, log, shutdown, parts = [], metrics = createMetrics(), documents = {}, dashboard } = options;
  const app = new Koa<HttpState>();
  const router = new Router<HttpState>();
  mount(router, contract, handlers, options);
  if (internal) mount(router, internal.contract, internal.handlers, options);
  app.use(frame(log, metrics, config.baseUrl));
  app.use(compression());
  app.use(securityHeaders({ https: config.baseUrl.startsWith('https:') }));
  app.use(pages({ contract, baseUrl: config.baseUrl, parts, stopping: shutdown, documents, hasDashboard: dashboard !== undefined }));
  app.use(router.routes());
  if (dashboard) app.use(dashboard);
  // Whatever reaches Koa itself broke after the answer had begun: nothing can be said to the caller any more.
  app.on('error', (error: Error) => log.warn({ err: error }, 'an answer broke off'));
  return app;
}
