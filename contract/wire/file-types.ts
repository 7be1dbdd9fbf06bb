// MIME type and kind by extension (or whole name, for those that have none): the same on the platform, on a
// laptop and for an agent's pages. A table of our own: mime-db has no kinds, knows no .py or .go, and takes
// .ts for a video stream.
import type { FileType } from './card.ts';

export interface NamedType {
  mime: string;
  kind: FileType;
}

const TABLE: Record<FileType, Record<string, string>> = {
  text: { 'text/plain': 'txt text log readme license', 'text/markdown': 'md markdown', 'text/x-rst': 'rst', 'text/calendar': 'ics', 'message/rfc822': 'eml' },
  code: {
    'text/javascript': 'js mjs cjs jsx',
    'text/typescript': 'ts mts cts tsx',
    'text/x-python': 'py pyi',
    'text/x-go': 'go',
    'text/x-rust': 'rs',
    'text/x-java': 'java kt scala',
    'text/x-c': 'c h cc cpp cxx hpp cs swift',
    'text/x-ruby': 'rb',
    'text/x-php': 'php',
    'text/x-shellscript': 'sh bash zsh',
    'text/x-sql': 'sql',
    'text/html': 'html htm xhtml',
    'text/css': 'css scss less',
    'text/x-code': 'lua pl r dart ex exs hs clj vue svelte proto graphql tf dockerfile makefile diff patch ipynb',
  },
  document: {
    'application/pdf': 'pdf',
    'application/msword': 'doc',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
    'application/vnd.ms-powerpoint': 'ppt',
    'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
    'application/vnd.oasis.opendocument.text': 'odt',
    'application/vnd.oasis.opendocument.presentation': 'odp',
    'application/rtf': 'rtf',
    'application/epub+zip': 'epub',
  },
  data: {
    'application/json': 'json geojson',
    'application/x-ndjson': 'jsonl ndjson',
    'text/csv': 'csv',
    'text/tab-separated-values': 'tsv',
    'application/yaml': 'yaml yml',
    'application/toml': 'toml',
    'application/xml': 'xml',
    'text/x-ini': 'ini cfg conf env properties',
    'application/vnd.ms-excel': 'xls',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
    'application/vnd.oasis.opendocument.spreadsheet': 'ods',
    'application/vnd.apache.parquet': 'parquet',
    'application/vnd.sqlite3': 'sqlite sqlite3 db',
  },
  image: {
    'image/png': 'png',
    'image/jpeg': 'jpg jpeg',
    'image/gif': 'gif',
    'image/webp': 'webp',
    'image/avif': 'avif',
    'image/svg+xml': 'svg',
    'image/bmp': 'bmp',
    'image/tiff': 'tif tiff',
    'image/heic': 'heic',
    'image/x-icon': 'ico',
  },
  audio: { 'audio/mpeg': 'mp3', 'audio/wav': 'wav', 'audio/ogg': 'ogg oga opus', 'audio/flac': 'flac', 'audio/mp4': 'm4a', 'audio/aac': 'aac' },
  video: {
    'video/mp4': 'mp4 m4v',
    'video/webm': 'webm',
    'video/quicktime': 'mov',
    'video/x-matroska': 'mkv',
    'video/x-msvideo': 'avi',
    'video/mpeg': 'mpg mpeg',
  },
  archive: {
    'application/zip': 'zip',
    'application/gzip': 'gz tgz',
    'application/x-tar': 'tar',
    'application/x-bzip2': 'bz2',
    'application/x-xz': 'xz',
    'application/zstd': 'zst',
    'application/x-7z-compressed': '7z',
    'application/vnd.rar': 'rar',
    'application/java-archive': 'jar',
  },
  other: { 'application/wasm': 'wasm', 'application/octet-stream': 'bin exe dll so' },
};

const BY_EXTENSION: ReadonlyMap<string, NamedType> = new Map(
  Object.entries(TABLE).flatMap(([kind, types]) =>
    Object.entries(types).flatMap(([mime, extensions]) => extensions.split(' ').map((extension) => [extension, { mime, kind: asKind(kind) }] as const)),
  ),
);

/** Undefined for a name that says nothing. */
export function typeByName(path: string): NamedType | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const dot = name.lastIndexOf('.');
  return BY_EXTENSION.get(dot >= 0 ? name.slice(dot + 1) : name);
}

// Safe: the keys of TABLE are exactly the kinds.
function asKind(key: string): FileType {
  return key as FileType;
}
