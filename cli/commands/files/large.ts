// A large file, sent in parts: it goes on where an earlier command broke off.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { ApiError, type Client } from '#contract/client.ts';
import type { Beside } from '#contract/beside.ts';
import { openUpload } from '#contract/workspace/resume.ts';

/** Of one request: proxies take it, and what breaks off is sent again soon. */
const SENT_BYTES = 16 * 1024 * 1024;
const WAITS_MS = [1_000, 2_000, 5_000, 10_000, 20_000];

export interface LargeFile {
  file: string;
  blob: Blob;
  path: string;
  onlyNew: boolean;
  signal?: AbortSignal | undefined;
  /** Milliseconds before each new try of what failed on its way. */
  waits?: readonly number[];
  /** How much has arrived. */
  onSent(bytes: number): void;
}

/** @throws ApiError */
export async function putLarge(api: Client<Beside>, large: LargeFile): Promise<void> {
  const { file, blob, onlyNew, onSent, waits = WAITS_MS } = large;
  const path = large.path.normalize('NFC');
  const digest = (start: number, end: number): Promise<string> => digestOf(file, start, end);
  const sha256 = await digestOf(file, 0, blob.size);
  const { upload_id, received_bytes } = await openUpload(api, { path, size_bytes: blob.size, onlyNew, digest, sha256 });
  let at = received_bytes;
  let failures = 0;
  while (at < blob.size) {
    onSent(at);
    try {
      const end = Math.min(blob.size, at + SENT_BYTES);
      const headers = { 'tus-resumable': '1.0.0', 'upload-offset': `${at}`, 'content-type': 'application/offset+octet-stream' } as const;
      await api.fileUploads.append({ params: { upload_id }, headers, body: blob.slice(at, end) }, large.signal ? { signal: large.signal } : {});
      [at, failures] = [end, 0];
    } catch (error) {
      const place = elsewhere(error);
      if (place !== undefined) at = place;
      else {
        const wait = waits[failures];
        if (wait === undefined || !mayPass(error)) throw error;
        failures += 1;
        await new Promise((resolve) => setTimeout(resolve, wait));
        at = await received(api, upload_id).catch(() => at);
      }
    }
  }
  onSent(blob.size);
}

async function received(api: Client<Beside>, upload_id: string): Promise<number> {
  return (await api.fileUploads.get({ params: { upload_id } })).received_bytes;
}

/** Where the platform says that it goes on. */
function elsewhere(error: unknown): number | undefined {
  if (!(error instanceof ApiError) || error.code !== 'upload_offset') return undefined;
  return typeof error.detail['offset'] === 'number' ? error.detail['offset'] : undefined;
}

/** A connection that broke, or a platform that starts again. */
function mayPass(error: unknown): boolean {
  return error instanceof ApiError ? error.status >= 500 || error.code === 'upload_broken' : error instanceof TypeError;
}

async function digestOf(file: string, start: number, end: number): Promise<string> {
  const hash = createHash('sha256');
  if (end > start) await pipeline(createReadStream(file, { start, end: end - 1 }), hash);
  return hash.digest('hex');
}
