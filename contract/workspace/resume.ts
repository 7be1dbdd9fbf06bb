// The client's side of resumable uploads, for the dashboard and the command line: which unfinished upload a file goes on with.
import type { z } from 'zod';
import type { Client } from '../client.ts';
import type { FileUploadOut, fileUploads, UploadPart } from './file-uploads.ts';

type Api = { fileUploads: Pick<Client<{ fileUploads: typeof fileUploads }>['fileUploads'], 'create' | 'get' | 'list'> };

export interface UploadSource {
  /** In NFC. */
  path: string;
  size_bytes: number;
  media?: string | undefined;
  /** Only when there is no file at the path yet. */
  onlyNew: boolean;
  /** Hex SHA-256 of bytes `start` to `end`, the last one not included; absent: it cannot be known whether it is the same file, so it begins anew. */
  digest?: ((start: number, end: number) => Promise<string>) | undefined;
  /** Hex SHA-256 of the whole, where it is known. */
  sha256?: string | undefined;
}

/** Its own that was left, when every part that arrived is of the same content, or a new one. @throws ApiError */
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

async function areSame(parts: readonly z.infer<typeof UploadPart>[], digest: NonNullable<UploadSource['digest']>): Promise<boolean> {
  for (const { start, size_bytes, sha256 } of parts) if ((await digest(start, start + size_bytes)) !== sha256) return false;
  return true;
}

const in64 = (text: string): string => bytesIn64(new TextEncoder().encode(text));
const bytesIn64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
