// The documentation for programs: llms.txt, and each page as Markdown, and the licences of what the dashboard
// contains, which `web/build/build.ts` wrote. An address of a page is Markdown for who does not ask for HTML.
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { HttpContext } from './state.ts';

/** By address. @param folder of a build; one without documentation has none */
export async function readTexts(folder: string): Promise<Map<string, Buffer>> {
  const pages = existsSync(join(folder, 'docs')) ? await readdir(join(folder, 'docs'), { recursive: true }) : [];
  const names = ['llms.txt', 'docs.md', 'licenses.md', ...pages.map((name) => join('docs', name))];
  const read = names
    .filter((name) => /\.(?:md|txt)$/.test(name) && existsSync(join(folder, name)))
    .map(async (name) => [`/${name.split(sep).join('/')}`, await readFile(join(folder, name))] as const);
  return new Map(await Promise.all(read));
}

const PAGE = /^\/docs(?:\/[\w/-]*)?$/;

/** The Markdown of a page's own address. */
export function textOf(texts: ReadonlyMap<string, Buffer>, path: string): Buffer | undefined {
  return PAGE.test(path) ? texts.get(`${path.replace(/\/$/, '')}.md`) : undefined;
}

export function wantsText(ctx: HttpContext): boolean {
  return ctx.accepts('text/markdown', 'text/plain') !== false;
}

export function sendText(ctx: HttpContext, text: Buffer): void {
  ctx.state.route = 'GET /docs';
  ctx.status = 200;
  ctx.set('content-type', ctx.path.endsWith('.txt') ? 'text/plain; charset=utf-8' : 'text/markdown; charset=utf-8');
  ctx.set('cache-control', 'public, max-age=300');
  ctx.body = text;
}
