// A form, or bytes, sent with how far they are. XMLHttpRequest, since fetch does not tell.
import { refusal } from '#contract/client.ts';
import { organizationHeader } from './organization.ts';

export interface Upload {
  body: FormData | Blob;
  headers?: Record<string, string>;
  /** From 0 to 1. */
  onProgress(part: number): void;
  signal?: AbortSignal;
}

/**
 * Resolves with the answer's JSON. @throws ApiError; DOMException AbortError; TypeError where the network
 * failed
 */
export function upload({ method, path }: { method: string; path: string }, { body, headers = {}, onProgress, signal }: Upload): Promise<unknown> {
  const request = new XMLHttpRequest();
  return new Promise((resolve, reject) => {
    const abort = (): void => request.abort();
    signal?.addEventListener('abort', abort, { once: true });
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total));
    request.addEventListener('load', () => {
      const answer = parsed(request.responseText);
      if (request.status < 300) resolve(answer);
      else reject(refusal(request.status, answer));
    });
    request.addEventListener('error', () => reject(new TypeError('network: the upload broke off')));
    request.addEventListener('abort', () => reject(new DOMException('cancelled', 'AbortError')));
    request.addEventListener('loadend', () => signal?.removeEventListener('abort', abort));
    request.open(method, path);
    for (const [name, value] of Object.entries({ accept: 'application/json', ...organizationHeader(), ...headers })) request.setRequestHeader(name, value);
    request.send(body);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
