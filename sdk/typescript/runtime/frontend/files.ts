// The packed bundle: its files are listed once, and nothing that is not on the list is ever opened.
import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { typeByName } from '../../../../contract/wire/file-types.ts';

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

/** What only pages have. */
const WEB_TYPES: ReadonlyMap<string, string> = new Map([
  ['map', 'application/json'],
  ['webmanifest', 'application/manifest+json'],
  ...['woff', 'woff2', 'ttf', 'otf'].map((name) => [name, `font/${name}`] as const),
]);
const TEXT = /^(?:text\/.+|application\/(?:json|xml|manifest\+json)|image\/svg\+xml)$/;

/**
 * Path below the mount ("index.html", "assets/app.js") → file. @throws Error without index.html where there
 * must be one, or with too many files
 */
export async function listBundle(dist: string, { index = true } = {}): Promise<ReadonlyMap<string, BundleFile>> {
  const files = new Map<string, BundleFile>();
  for (const entry of await readdir(dist, { recursive: true, withFileTypes: true })) {
    // Links could lead anywhere; bundlers write none.
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const path = relative(dist, file).split(sep).join('/');
    if (files.size >= MAX_FILES) throw new Error(`the frontend has more than ${MAX_FILES} files`);
    files.set(path, { file, size: (await stat(file)).size, type: typeOf(path), immutable: isHashed(entry.name) });
  }
  if (index && !files.has('index.html')) throw new Error(`the frontend has no index.html in ${dist}`);
  return files;
}

export async function factsOf(file: BundleFile): Promise<FileFacts> {
  const bytes = await readFile(file.file);
  const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
  return { etag, inlineScripts: file.type.startsWith('text/html') ? inlineScripts(bytes.toString('utf8')) : [] };
}

function typeOf(path: string): string {
  const extension = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase();
  if (extension === undefined) return 'application/octet-stream';
  const type = WEB_TYPES.get(extension) ?? typeByName(path)?.mime ?? 'application/octet-stream';
  return TEXT.test(type) ? `${type}; charset=utf-8` : type;
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
