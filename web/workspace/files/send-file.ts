// One upload, with how far it is. XMLHttpRequest, since fetch does not tell.
import { ApiError } from '#contract/client.ts';
import { pathTo } from '#contract/path-to.ts';

export interface SendFile {
  path: string;
  file: File;
  /** False: only where there is no file at the path yet. */
  replace: boolean;
  onSent(bytes: number): void;
  signal: AbortSignal;
}

/** @throws ApiError; DOMException AbortError; TypeError where the network failed */
export function sendFile({ path, file, replace, onSent, signal }: SendFile): Promise<void> {
  const form = new FormData();
  form.set('path', path);
  form.set('file', file, file.name);
  const request = new XMLHttpRequest();
  return new Promise((resolve, reject) => {
    const abort = (): void => request.abort();
    signal.addEventListener('abort', abort, { once: true });
    request.upload.addEventListener('progress', ({ loaded, total }) => onSent(total === 0 ? 0 : Math.round((loaded / total) * file.size)));
    request.addEventListener('load', () => (request.status < 300 ? resolve() : reject(refusal(request))));
    request.addEventListener('error', () => reject(new TypeError('network: the upload broke off')));
    request.addEventListener('abort', () => reject(new DOMException('cancelled', 'AbortError')));
    request.addEventListener('loadend', () => signal.removeEventListener('abort', abort));
    request.open('POST', pathTo('POST /v1/me/files'));
    request.setRequestHeader('accept', 'application/json');
    if (!replace) request.setRequestHeader('if-none-match', '*');
    request.send(form);
  });
}

function refusal({ status, responseText }: XMLHttpRequest): ApiError {
  return new ApiError(status, detailIn(responseText));
}

function detailIn(text: string): ApiError['detail'] {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null && 'detail' in body && typeof body.detail === 'object' && body.detail !== null ? body.detail : {};
  } catch {
    return {};
  }
}
