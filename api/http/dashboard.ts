// The dashboard: files that `web/build/build.ts` made, read once. Every address that no route has is a page
// of it, for people at a browser; its own router says what is there.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { isPageLook } from './browser.ts';
import { guestOf } from './guest.ts';
import type { RenderedPage } from '#contract/wire/rendering.ts';
import { PageFiles, pageHeads } from './page-files.ts';
import { onlyRead } from './pages.ts';
import { readTexts, sendText, textOf, wantsText } from './texts.ts';
import { pageRenderer, type PageRenderer, type RendererTimes } from './page-renderer.ts';
import type { HttpContext, HttpMiddleware } from './state.ts';

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};
/** The smallest first. */
const ENCODINGS = ['br', 'gzip'] as const;
const SUFFIXES = { br: '.br', gzip: '.gz' } as const;
/** In the built page where each answer's own nonce belongs (web/build/options.ts). */
const PLACEHOLDER = 'SVC_NONCE';
/** What a page asks for that was not rendered. */
const SESSION_FIRST = /<link rel="preload" href="\/v1\/auth\/session"[^>]*>/;
/** A misspelt address of a program is answered as one. */
const PROGRAMS = /^\/(?:v1|idp|source|git|llm|otlp|run|assets|\.well-known)(?:\/|$)/;

interface Asset {
  type: string;
  content: Buffer;
  /** By the name that the encoding has in a request. */
  packed: Partial<Record<(typeof ENCODINGS)[number], Buffer>>;
}

export interface Dashboard {
  pages: HttpMiddleware;
  close(): Promise<void>;
}

/**
 * @param folder of a build @param onFault a page could not be rendered: the browser makes it @param times
 * default: the renderer's own @throws when the folder holds no build
 */
export async function dashboard(folder: string, onFault: (why: string) => void = () => undefined, times?: RendererTimes): Promise<Dashboard> {
  // One after the other: where nothing is built, the page's error says what to do.
  const page = await readPage(folder);
  const headOf = pageHeads(PageFiles.parse(JSON.parse(await readFile(join(folder, 'pages.json'), 'utf8'))));
  const assets = await readAssets(folder);
  const texts = await readTexts(folder);
  const rendering = join(folder, 'server/worker.js');
  const canRender = existsSync(rendering);
  let renderer: PageRenderer | undefined;
  return {
    async pages(ctx, next) {
      const asset = assets.get(ctx.path);
      const text = texts.get(ctx.path) ?? textOf(texts, ctx.path);
      if (!isRead(ctx) && (asset || text || ctx.path === '/')) throw onlyRead(ctx);
      if (asset) return sendAsset(ctx, asset);
      if (text) ctx.vary('accept');
      if (text && (texts.has(ctx.path) || (!isPage(ctx) && wantsText(ctx)))) return sendText(ctx, text);
      if (!isPage(ctx) || PROGRAMS.test(ctx.path)) return next();
      const nonce = randomBytes(16).toString('base64');
      // Made by the first visit: an API that no person looks at needs none.
      if (canRender) renderer ??= pageRenderer(rendering, ctx.app.callback(), onFault, times);
      // A guest is known by its connection, which the reads of a page do not have.
      const rendered = guestOf(ctx.req) === undefined ? await renderer?.render(ctx.req, { origin: `${ctx.protocol}://${ctx.host}`, nonce }) : undefined;
      sendPage(ctx, withContent(page.replace('</head>', `${headOf(ctx.path)}</head>`).replaceAll(PLACEHOLDER, nonce), rendered), nonce);
    },
    close: async () => await renderer?.close(),
  };
}

const ROOT = '<div id="root"></div>';

function withContent(page: string, rendered: RenderedPage | undefined): string {
  if (!rendered) return page;
  const { html, state } = rendered;
  return page
    .replace(SESSION_FIRST, '')
    .replace(ROOT, () => `<div id="root" data-rendered>${html}</div><script type="application/json" id="rendered">${state}</script>`);
}

/**
 * HEAD is answered as GET is. The first page is there also for who takes anything: monitors, previews of
 * links, wget.
 */
function isPage(ctx: HttpContext): boolean {
  const { headers, method } = ctx.req;
  const anything = ctx.path === '/' && ctx.accepts('html', 'json') === 'html';
  return isPageLook({ method, headers: anything ? { ...headers, accept: 'text/html' } : headers });
}

const isRead = ({ method }: HttpContext): boolean => method === 'GET' || method === 'HEAD';

async function readPage(folder: string): Promise<string> {
  try {
    return await readFile(join(folder, 'index.html'), 'utf8');
  } catch (cause) {
    throw new Error(`no dashboard is built in ${folder}: run node web/build/build.ts ${folder}`, { cause });
  }
}

async function readAssets(folder: string): Promise<Map<string, Asset>> {
  const root = join(folder, 'assets');
  const names = (await readdir(root, { recursive: true, withFileTypes: true })).filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  const all = new Set(names);
  const served = names.filter((name) => TYPES[extname(name)] !== undefined);
  const assets = await Promise.all(
    served.map(async (name): Promise<[string, Asset]> => {
      const packed = ENCODINGS.filter((encoding) => all.has(name + SUFFIXES[encoding])).map(async (encoding) => [
        encoding,
        await readFile(name + SUFFIXES[encoding]),
      ]);
      const [content, packings] = await Promise.all([readFile(name), Promise.all(packed)]);
      return [`/assets${name.slice(root.length).split(sep).join('/')}`, { type: TYPES[extname(name)] ?? '', content, packed: Object.fromEntries(packings) }];
    }),
  );
  return new Map(assets);
}

function sendAsset(ctx: HttpContext, { type, content, packed }: Asset): void {
  ctx.state.route = 'GET /assets';
  ctx.status = 200;
  ctx.set('content-type', type);
  // Their names say what they hold: vite puts a hash into each.
  ctx.set('cache-control', /-[\w-]{8}\.\w+$/.test(ctx.path) ? 'public, max-age=31536000, immutable' : 'public, max-age=3600');
  ctx.vary('accept-encoding');
  const encoding = ENCODINGS.find((one) => packed[one] && ctx.acceptsEncodings(one) === one);
  if (encoding) ctx.set('content-encoding', encoding);
  ctx.body = (encoding && packed[encoding]) ?? content;
}

function sendPage(ctx: HttpContext, page: string, nonce: string): void {
  ctx.state.route = 'GET /*';
  ctx.status = 200;
  ctx.set('content-type', 'text/html; charset=utf-8');
  ctx.set('cache-control', 'no-store');
  ctx.set('content-security-policy', policy(nonce));
  ctx.body = page;
}

function policy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    // Elements need the nonce. Attributes hold sizes and positions that scripts of ours computed; they cannot
    // load anything.
    `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    // blob: what an agent made and the page fetched. No other host: an agent's text must not be able to call
    // home.
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    'frame-src blob:',
    "worker-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "object-src 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
