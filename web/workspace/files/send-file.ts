// One upload, with how far it is. A large one goes on where it broke off.
import { callTo } from '#contract/path-to.ts';
import { pathOf } from '#contract/route-table.ts';
import { LARGE_FILE_BYTES } from '#contract/wire/limits.ts';
import { uploadInParts } from '#contract/workspace/resume.ts';
import { client } from '../../api/client.ts';
import { upload } from '../../api/upload.ts';

export interface SendFile {
  path: string;
  file: File;
  /** False: only where there is no file at the path yet. */
  replace: boolean;
  onSent(bytes: number): void;
  /** Of a large one: under which the platform keeps what has arrived. */
  onOpened?(upload_id: string): void;
  signal: AbortSignal;
}

/** @throws ApiError; DOMException AbortError; TypeError where the network failed */
export async function sendFile(sent: SendFile): Promise<void> {
  if (sent.file.size > LARGE_FILE_BYTES) return sendInParts(sent);
  const { path, file, replace, onSent, signal } = sent;
  const form = new FormData();
  form.set('path', path);
  form.set('file', file, file.name);
  await upload(callTo('POST /v1/me/files'), {
    body: form,
    headers: replace ? {} : { 'if-none-match': '*' },
    onProgress: (part) => onSent(Math.round(part * file.size)),
    signal,
  });
}

async function sendInParts({ path, file, replace, onSent, onOpened, signal }: SendFile): Promise<void> {
  const source = { path, size_bytes: file.size, media: file.type || undefined, onlyNew: !replace, digest: digestOf(file) };
  await uploadInParts(client, source, {
    onReceived: onSent,
    ...(onOpened && { onOpened }),
    signal,
    send: async (upload_id, start, end) => {
      await upload(
        { method: 'PATCH', path: pathOf({ at: 'PATCH /v1/me/uploads/{upload_id}' }, { params: { upload_id } }) },
        {
          body: file.slice(start, end),
          headers: { 'tus-resumable': '1.0.0', 'upload-offset': `${start}`, 'content-type': 'application/offset+octet-stream' },
          onProgress: (part) => onSent(start + Math.round(part * (end - start))),
          signal,
        },
      );
    },
  });
}

/** Browsers hash only on secure addresses. */
function digestOf(file: File): ((start: number, end: number) => Promise<string>) | undefined {
  const subtle: SubtleCrypto | undefined = crypto.subtle;
  if (!subtle) return undefined;
  return async (start, end) => {
    const hash = await subtle.digest('SHA-256', await file.slice(start, end).arrayBuffer());
    return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
  };
}
