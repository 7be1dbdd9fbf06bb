// A large file, sent in parts: it goes on where an earlier command broke off.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { uploadInParts } from '#contract/workspace/resume.ts';
import type { Api } from '../../lib/api.ts';

export interface LargeFile {
  file: string;
  blob: Blob;
  path: string;
  onlyNew: boolean;
  onReceived(bytes: number): void;
}

/** @throws ApiError */
export async function putLarge(api: Api, { file, blob, path, onlyNew, onReceived }: LargeFile): Promise<void> {
  const digest = (start: number, end: number): Promise<string> => digestOf(file, start, end);
  const source = { path: path.normalize('NFC'), size_bytes: blob.size, onlyNew, digest, sha256: await digestOf(file, 0, blob.size) };
  const headers = { 'tus-resumable': '1.0.0', 'content-type': 'application/offset+octet-stream' } as const;
  const send = (upload_id: string, start: number, end: number): Promise<void> =>
    api.fileUploads.append({ params: { upload_id }, headers: { ...headers, 'upload-offset': `${start}` }, body: blob.slice(start, end) });
  await uploadInParts(api, source, { send, onReceived });
}

async function digestOf(file: string, start: number, end: number): Promise<string> {
  const hash = createHash('sha256');
  if (end > start) await pipeline(createReadStream(file, { start, end: end - 1 }), hash);
  return hash.digest('hex');
}
