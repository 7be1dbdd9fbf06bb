// What a file is shown as. The type that the API named decides, and the name where the type says nothing;
// never the content.

export type PreviewKind = 'image' | 'markdown' | 'table' | 'json' | 'text' | 'source' | 'pdf' | 'media' | 'none';

export interface Shown {
  as: PreviewKind;
  /** Of an image and a PDF: the type for the browser, one of those listed here. */
  type?: string;
}

/** Elements of these show them and run nothing: `<img>` runs no script of an SVG. */
const IMAGES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp', 'image/x-icon', 'image/svg+xml']);
/** Pages: read as text, since as pages they could act. */
const PAGES = new Set(['text/html', 'application/xhtml+xml']);
const TABLES = new Set(['text/csv', 'text/tab-separated-values']);
const TEXTS = new Set([
  'application/javascript',
  'application/sql',
  'application/toml',
  'application/x-ndjson',
  'application/x-sh',
  'application/x-yaml',
  'application/xml',
  'application/yaml',
]);
/** Types that say no more than "bytes" or "text". */
const UNSPECIFIC = new Set(['', 'application/octet-stream', 'binary/octet-stream', 'text/plain']);

const BY_ENDING: Record<string, string> = {
  avif: 'image/avif',
  bmp: 'image/bmp',
  csv: 'text/csv',
  gif: 'image/gif',
  htm: 'text/html',
  html: 'text/html',
  ico: 'image/x-icon',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  json: 'application/json',
  markdown: 'text/markdown',
  md: 'text/markdown',
  pdf: 'application/pdf',
  png: 'image/png',
  svg: 'image/svg+xml',
  tsv: 'text/tab-separated-values',
  webp: 'image/webp',
  xhtml: 'application/xhtml+xml',
};
const TEXT_ENDINGS = new Set(
  'c cc cfg conf cpp css diff env go h hpp ini java js jsx kt log lua mjs patch php pl proto py r rb rs scala sh sql swift tex toml ts tsx txt vue xml yaml yml ndjson jsonl'.split(
    ' ',
  ),
);

/** @param type as the answer or the API said; may carry parameters: `text/plain; charset=utf-8` */
export function shownAs(type: string | null | undefined, name: string): Shown {
  const declaredType = (type ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const ending = name.includes('.') ? (name.split('.').at(-1) ?? '').toLowerCase() : '';
  const byName = UNSPECIFIC.has(declaredType) ? BY_ENDING[ending] : undefined;
  // Text stays text: a name does not make it an image.
  const known = declaredType === 'text/plain' && byName !== undefined && !isText(byName) ? declaredType : (byName ?? declaredType);
  if (IMAGES.has(known)) return { as: 'image', type: known };
  if (known === 'application/pdf') return { as: 'pdf', type: known };
  if (known === 'text/markdown') return { as: 'markdown' };
  if (TABLES.has(known)) return { as: 'table' };
  if (known === 'application/json' || known.endsWith('+json')) return { as: 'json' };
  if (PAGES.has(known)) return { as: 'source' };
  if (/^(?:audio|video)\//.test(known)) return { as: 'media' };
  if (isText(known) || (UNSPECIFIC.has(declaredType) && TEXT_ENDINGS.has(ending))) return { as: 'text' };
  return { as: 'none' };
}

function isText(type: string): boolean {
  return type.startsWith('text/') || TEXTS.has(type) || type.endsWith('+xml') || type.endsWith('+json') || type === 'application/json';
}
