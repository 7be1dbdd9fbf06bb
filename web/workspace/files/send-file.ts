// One upload, with how far it is.
import { callTo } from '#contract/path-to.ts';
import { upload } from '../../api/upload.ts';

export interface SendFile {
  path: string;
  file: File;
  /** False: only where there is no file at the path yet. */
  replace: boolean;
  onSent(bytes: number): void;
  signal: AbortSignal;
}

/** @throws ApiError; DOMException AbortError; TypeError where the network failed */
export async function sendFile({ path, file, replace, onSent, signal }: SendFile): Promise<void> {
  const form = new FormData();
  form.set('path', path);
  form.set('file', file, file.name);
  await upload(callTo('POST /v1/me/files'), {
    form,
    headers: replace ? {} : { 'if-none-match': '*' },
    onProgress: (part) => onSent(Math.round(part * file.size)),
    signal,
  });
}
