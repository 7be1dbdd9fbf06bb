// The client's side of resumable uploads, for the dashboard and the command line: which unfinished upload a
// file goes on with.
import type { z } from 'zod';
import { ApiError, type Client } from '../client.ts';
import type { FileUploadOut, fileUploads, UploadPart } from './file-uploads.ts';

type Api = { fileUploads: Pick<Client<{ fileUploads: typeof fileUploads }>['fileUploads'], 'create' | 'get' | 'list'> };

export interface UploadSource {
  /** In NFC. */
  path: string;
  size_bytes: number;
  media?: string | undefined;
  /** Only when there is no file at the path yet. */
  onlyNew: boolean;
  /**
   * Hex SHA-256 of bytes `start` to `end`, the last one not included; absent: it cannot be known whether it
   * is the same file, so it begins anew.
   */
  digest?: ((start: number, end: number) => Promise<string>) | undefined;
  /** Hex SHA-256 of the whole, where it is known. */
  sha256?: string | undefined;
}

/**
 * Its own that was left, when every part that arrived is of the same content, or a new one. @throws ApiError
 */
export async function openUpload(api: Api, source: UploadSource): Promise<z.infer<typeof FileUploadOut>> {
  const { path, size_bytes, media, onlyNew, digest, sha256 } = source;
  const { items } = await api.fileUploads.list();
  const left = digest ? items.filter((one) => one.path === path && one.size_bytes === size_bytes && one.only_new === onlyNew) : [];
  for (const { upload_id } of left) {
    const { parts, ...upload } = await api.fileUploads.get({ params: { upload_id } });
    if (digest && (await areSame(parts, digest))) return upload;
  }
  return api.fileUploads.create({
    headers: {
      'tus-resumable': '1.0.0',
      'upload-length': `${size_bytes}`,
      'upload-metadata': [`path ${in64(path)}`, ...(media ? [`filetype ${in64(media)}`] : [])].join(','),
      ...(onlyNew && { 'if-none-match': '*' }),
      ...(sha256 !== undefined && { 'repr-digest': `sha-256=:${bytesIn64(Uint8Array.from(sha256.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)))}:` }),
    },
  });
}

/** Of one request: proxies take it, and what breaks off is sent again soon. */
const SENT_BYTES = 16 * 1024 * 1024;
const WAITS_MS = [1_000, 2_000, 5_000, 10_000, 20_000];

export interface Sending {
  /**
   * Sends bytes `start` to `end` of the file, the last one not included. @throws ApiError; TypeError where
   * the network failed
   */
  send(upload_id: string, start: number, end: number): Promise<void>;
  onOpened?(upload_id: string): void;
  onReceived(bytes: number): void;
  /** Stops between two requests. */
  signal?: AbortSignal | undefined;
}

/**
 * Resolves when the file is stored. What fails on its way is tried again for a while, from where the platform
 * is. @throws ApiError; TypeError; the signal's reason
 */
export async function uploadInParts(api: Api, source: UploadSource, { send, onOpened, onReceived, signal }: Sending): Promise<void> {
  const { upload_id, received_bytes } = await openUpload(api, source);
  onOpened?.(upload_id);
  let at = received_bytes;
  let failures = 0;
  while (at < source.size_bytes) {
    signal?.throwIfAborted();
    onReceived(at);
    const end = Math.min(source.size_bytes, at + SENT_BYTES);
    try {
      await send(upload_id, at, end);
      [at, failures] = [end, 0];
    } catch (error) {
      signal?.throwIfAborted();
      const wait = WAITS_MS[failures];
      const place = placeIn(error);
      // Another tab sends the same file.
      if (place !== undefined) at = place;
      else if (wait === undefined || !mayPass(error)) throw error;
      else {
        failures += 1;
        await new Promise((resolve) => setTimeout(resolve, wait));
        at = await api.fileUploads.get({ params: { upload_id } }).then((upload) => upload.received_bytes, () => at); // prettier-ignore
      }
    }
  }
  onReceived(source.size_bytes);
}

/** Where the platform says that it goes on. */
function placeIn(error: unknown): number | undefined {
  if (!(error instanceof ApiError) || error.code !== 'upload_offset') return undefined;
  return typeof error.detail['offset'] === 'number' ? error.detail['offset'] : undefined;
}

/** A connection that broke, or a platform that starts again. */
function mayPass(error: unknown): boolean {
  return error instanceof ApiError ? error.status >= 500 || error.code === 'upload_broken' : error instanceof TypeError;
}

async function areSame(parts: readonly z.infer<typeof UploadPart>[], digest: NonNullable<UploadSource['digest']>): Promise<boolean> {
  for (const { start, size_bytes, sha256 } of parts) if ((await digest(start, start + size_bytes)) !== sha256) return false;
  return true;
}

const in64 = (text: string): string => bytesIn64(new TextEncoder().encode(text));
const bytesIn64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
