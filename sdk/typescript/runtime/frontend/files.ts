// The packed bundle: its files are listed once, and nothing that is not on the list is ever opened.
import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

export interface BundleFile {
  /** Absolute. */
  file: string;
  size: number;
  type: string;
  /** The name carries a hash of the content, as bundlers write it. */
  immutable: boolean;
}

export interface FileFacts {
  /** Quoted, strong. */
  etag: string;
  /** Sources of inline scripts, for the policy: `'sha256-…'`. Empty for what is no page. */
  inlineScripts: readonly string[];
}

const MAX_FILES = 10_000;

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8', js: 'text/javascript; charset=utf-8', mjs: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8',
  json: 'application/json; charset=utf-8', map: 'application/json; charset=utf-8', webmanifest: 'application/manifest+json; charset=utf-8',
  txt: 'text/plain; charset=utf-8', xml: 'application/xml; charset=utf-8', svg: 'image/svg+xml; charset=utf-8',
  png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg', gif: 'image/gif', webp: 'image/webp', avif: 'image/avif', ico: 'image/x-icon',
  woff: 'font/woff', woff2: 'font/woff2', ttf: 'font/ttf', otf: 'font/otf', wasm: 'application/wasm', pdf: 'application/pdf',
  mp3: 'audio/mpeg', mp4: 'video/mp4', webm: 'video/webm',
}; // prettier-ignore

/** Path below the mount ("index.html", "assets/app.js") → file. @throws Error without index.html, or with too many files */
export async function listBundle(dist: string): Promise<ReadonlyMap<string, BundleFile>> {
  const found = new Map<string, BundleFile>();
  for (const entry of await readdir(dist, { recursive: true, withFileTypes: true })) {
    // Links could lead anywhere; bundlers write none.
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const path = relative(dist, file).split(sep).join('/');
    if (found.size >= MAX_FILES) throw new Error(`the frontend has more than ${MAX_FILES} files`);
    found.set(path, { file, size: (await stat(file)).size, type: typeOf(path), immutable: isHashed(entry.name) });
  }
  if (!found.has('index.html')) throw new Error(`the frontend has no index.html in ${dist}`);
  return found;
}

export async function factsOf(file: BundleFile): Promise<FileFacts> {
  const bytes = await readFile(file.file);
  const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
  return { etag, inlineScripts: file.type.startsWith('text/html') ? inlineScripts(bytes.toString('utf8')) : [] };
}

function typeOf(path: string): string {
  const extension = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  return TYPES[extension] ?? 'application/octet-stream';
}

/** app-5f3a9c21.js, index.CkT3_9aQ.css; not jquery-3.7.1.js nor my-component.js. */
function isHashed(name: string): boolean {
  const mark = /[.-]([A-Za-z0-9_-]{8,})\.\w+$/.exec(name)?.[1];
  return mark !== undefined && /\d/.test(mark) && /[A-Za-z]/.test(mark);
}

function inlineScripts(html: string): string[] {
  const scripts = [...html.matchAll(/<script\b([^>]*)>([\s\S]*?)<\/script\s*>/gi)];
  const inline = scripts.filter(([, attributes = '', text = '']) => !/\bsrc\s*=/i.test(attributes) && text !== '');
  return [...new Set(inline.map(([, , text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`))];
}
