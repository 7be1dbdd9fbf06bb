// What the API serves outside its contract: health, the OpenAPI document and the reference that shows it.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Group } from '#contract/kit.ts';
import { Invalid, MethodNotAllowed } from '#core/kernel/errors.ts';
import { readiness, type Part } from './health.ts';
import { openApiDocument, type Origin } from './openapi.ts';
import type { HttpContext, HttpMiddleware } from './state.ts';

export interface PagesOptions {
  contract: Record<string, Group>;
  baseUrl: string;
  parts: Part[];
  stopping: AbortSignal;
  /** Documents at well-known places, by path; made for each request. */
  documents?: Record<string, () => Promise<{ type: string; body: string }>>;
  /** It has the start page and the documentation; without it both lead to the reference. */
  hasDashboard?: boolean;
}

type Page = (ctx: HttpContext) => void | Promise<void>;

const REFERENCE = '/docs/api';
const OUR = (name: string): URL => new URL(`../docs/${name}`, import.meta.url);
const VIEWER = (name: string): URL => new URL(import.meta.resolve(`swagger-ui-dist/${name}`));

export function pages({ contract, baseUrl, parts, stopping, documents = {}, hasDashboard = false }: PagesOptions): HttpMiddleware {
  // Made when it is first asked for: it takes a third of a second, for which an API that starts again need
  // not wait.
  const made = new Map<Origin, Buffer>();
  const document = (origin: Origin): Buffer => {
    const known = made.get(origin) ?? Buffer.from(JSON.stringify(openApiDocument(contract, baseUrl, origin)));
    made.set(origin, known);
    return known;
  };
  const routes = new Map<string, Page>([
    ...(hasDashboard ? [] : ['/', '/docs'].map((path): [string, Page] => [path, (ctx) => ctx.redirect(REFERENCE)])),
    ['/healthz', (ctx) => plain(ctx, 200, { status: 'ok' })],
    [
      '/readyz',
      async (ctx) => {
        const { ready, parts: states } = await readiness(parts, stopping);
        plain(ctx, ready ? 200 : 503, { status: ready ? 'ok' : 'not ready', parts: states });
      },
    ],
    ['/v1/openapi.json', (ctx) => cached(ctx, 'application/json; charset=utf-8', document(originIn(ctx)))],
    [REFERENCE, file(OUR('page.html'), 'text/html; charset=utf-8')],
    [`${REFERENCE}/init.js`, file(OUR('init.js'), 'text/javascript; charset=utf-8')],
    [`${REFERENCE}/style.css`, file(OUR('style.css'), 'text/css; charset=utf-8')],
    [`${REFERENCE}/swagger-ui.css`, file(VIEWER('swagger-ui.css'), 'text/css; charset=utf-8')],
    [`${REFERENCE}/swagger-ui-bundle.js`, file(VIEWER('swagger-ui-bundle.js'), 'text/javascript; charset=utf-8')],
    ...Object.entries(documents).map(([path, make]): [string, Page] => [path, shared(make)]),
  ]);
  return (ctx, next) => {
    const page = routes.get(ctx.path);
    if (!page) return next();
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw onlyRead(ctx);
    ctx.state.route = `GET ${ctx.path}`;
    return page(ctx);
  };
}

/** `?origin=specification`: only the routes that the specification names. @throws Invalid */
function originIn({ query }: HttpContext): Origin {
  const { origin = 'all' } = query;
  if (origin === 'all' || origin === 'specification') return origin;
  throw new Invalid([{ path: ['query', 'origin'], message: 'must be "specification", or be left out' }]);
}

/** For what is read and nothing else. */
export function onlyRead(ctx: HttpContext): MethodNotAllowed {
  return new MethodNotAllowed('method_not_allowed', `${ctx.path} takes GET, HEAD`, { allow: ['GET', 'HEAD'] });
}

function plain(ctx: HttpContext, status: number, body: unknown): void {
  ctx.status = status;
  ctx.set('cache-control', 'no-store');
  ctx.body = body;
}

/** For programs of any origin. */
function shared(make: () => Promise<{ type: string; body: string }>): Page {
  return async (ctx) => {
    const { type, body } = await make();
    ctx.set('access-control-allow-origin', '*');
    cached(ctx, type, body);
    ctx.set('cache-control', 'max-age=60');
  };
}

/** Read once, when it is first asked for. */
function file(url: URL, type: string): Page {
  let content: Promise<Buffer> | undefined;
  return async (ctx) => cached(ctx, type, await (content ??= readFile(url)));
}

/** Browsers keep it and ask whether it is still the same. */
function cached(ctx: HttpContext, type: string, content: string | Buffer): void {
  ctx.status = 200;
  ctx.type = type;
  ctx.set('cache-control', 'no-cache');
  ctx.etag = createHash('sha256').update(content).digest('base64url');
  if (ctx.fresh) ctx.status = 304;
  else ctx.body = content;
}
