// A stored content over HTTP: conditions, ranges, and headers that keep a browser from running an uploaded
// file.
import type { Readable } from 'node:stream';
import { PreconditionFailed, RangeNotSatisfiable } from '#core/kernel/errors.ts';
import { etagOf, namesTag } from '#core/workspace/file/conditions.ts';
import type { FileView } from '#core/workspace/file/present.ts';
import type { Http, Reply } from './handlers.ts';

/** Types a browser shows without running anything in them. */
const HARMLESS = /^(?:text\/(?:plain|csv|markdown)|application\/json|image\/(?:png|jpeg|gif|webp|avif|bmp)|(?:audio|video)\/[\w.+-]+)$/;

type FileReply = Reply<Readable | Uint8Array, 200 | 206 | 304>;

/** `download`: always as a file to be saved. For HEAD the same without bytes. */
export async function fileAnswer(http: Http, file: FileView, { download = false, head = false } = {}): Promise<FileReply> {
  const headers = { ...entityHeaders(file), ...safetyHeaders(file, download) };
  const modified = Math.floor(file.updated_at.getTime() / 1000) * 1000;
  requireMatch(http, file);
  if (isUnchanged(http, file, modified)) return http.reply(304, Buffer.alloc(0), headers);
  const range = head ? undefined : rangeOf(http, file, modified);
  const length = range ? range.end - range.start + 1 : file.size_bytes;
  const sized = { ...headers, 'content-length': String(length) };
  if (head) return http.reply(200, Buffer.alloc(0), sized);
  if (range) return http.reply(206, await file.open(range), { ...sized, 'content-range': `bytes ${range.start}-${range.end}/${file.size_bytes}` });
  return http.reply(200, await file.open(), sized);
}

function entityHeaders({ sha256, updated_at, mime_type }: FileView): Record<string, string> {
  return {
    etag: etagOf(sha256),
    'last-modified': updated_at.toUTCString(),
    'accept-ranges': 'bytes',
    'content-type': mime_type.startsWith('text/') ? `${mime_type}; charset=utf-8` : mime_type,
    // Kept by the caller's own cache only, and asked about each time.
    'cache-control': 'private, no-cache',
    vary: 'authorization, cookie, svc-grant',
  };
}

/** It is served from the API's own origin: whatever it is, it must not act there. */
function safetyHeaders({ path, mime_type }: FileView, download: boolean): Record<string, string> {
  const shown = !download && HARMLESS.test(mime_type);
  return {
    'content-disposition': `${shown ? 'inline' : 'attachment'}; ${filename(path.split('/').at(-1) ?? 'file')}`,
    'content-security-policy': "sandbox; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'",
    'x-content-type-options': 'nosniff',
  };
}

/** RFC 6266: an ASCII form for old readers, the real name beside it. */
function filename(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const exact = encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  return `filename="${plain}"; filename*=UTF-8''${exact}`;
}

function requireMatch(http: Http, { sha256 }: FileView): void {
  const match = http.header('if-match');
  if (match !== undefined && !namesTag(match, sha256, { weak: false })) {
    throw new PreconditionFailed('changed_meanwhile', 'The file changed since you read it: read it again', { etag: etagOf(sha256) });
  }
}

function isUnchanged(http: Http, { sha256 }: FileView, modified: number): boolean {
  const noneMatch = http.header('if-none-match');
  if (noneMatch !== undefined) return namesTag(noneMatch, sha256, { weak: true });
  const since = Date.parse(http.header('if-modified-since') ?? '');
  return !Number.isNaN(since) && modified <= since;
}

/** One range; several, other units and nonsense are answered with the whole, as RFC 9110 allows. */
function rangeOf(http: Http, { size_bytes, sha256 }: FileView, modified: number): { start: number; end: number } | undefined {
  const rangeMatch = /^bytes=(?:(\d{1,15})-(\d{1,15})?|-(\d{1,15}))$/.exec(http.header('range')?.trim() ?? '');
  if (!rangeMatch || !stillSame(http.header('if-range'), sha256, modified)) return undefined;
  const [, first, last, suffix] = rangeMatch;
  const start = first === undefined ? Math.max(0, size_bytes - Number(suffix)) : Number(first);
  const end = Math.min(size_bytes - 1, last === undefined ? size_bytes - 1 : Number(last));
  if (last !== undefined && Number(last) < start) return undefined;
  if (start >= size_bytes || suffix === '0') throw new RangeNotSatisfiable('range_not_satisfiable', `The file has ${size_bytes} bytes`, { size_bytes });
  return { start, end };
}

function stillSame(ifRange: string | undefined, sha256: string, modified: number): boolean {
  if (ifRange === undefined) return true;
  return ifRange.includes('"') ? ifRange.trim() === etagOf(sha256) : Date.parse(ifRange) === modified;
}
