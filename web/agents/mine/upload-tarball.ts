// Sending a project with its progress, which fetch does not tell.
import { ApiError } from '#contract/client.ts';
import { callTo } from '#contract/path-to.ts';
import type { Output } from '../../api/client.ts';

export type Deployed = Output<'agents', 'fromTarball'>;

const GZIP = [0x1f, 0x8b];

/** Why this file is no project; undefined: it may be one. */
export async function projectProblem(file: Blob & { name: string }): Promise<string | undefined> {
  const start = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  if (start[0] === GZIP[0] && start[1] === GZIP[1]) return undefined;
  return `${file.name} is not a gzipped tar. Pack the project: tar czf project.tar.gz --exclude node_modules --exclude .git -C my-agent .`;
}

/** @param onProgress from 0 to 1 @throws ApiError, TypeError where the network broke off */
export function uploadProject(file: Blob, visibility: 'public' | 'unlisted' | undefined, onProgress: (part: number) => void): Promise<Deployed> {
  const form = new FormData();
  if (visibility !== undefined) form.set('public', String(visibility === 'public'));
  // Last, as the API reads it.
  form.set('source', file, 'source.tar.gz');
  const { method, path } = callTo('POST /v1/agents/from-tarball');
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, path);
    request.setRequestHeader('accept', 'application/json');
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total));
    request.addEventListener('error', () => reject(new TypeError('network: the upload broke off')));
    request.addEventListener('load', () => {
      const answer = parsed(request.responseText);
      if (request.status === 201) resolve(asDeployed(answer));
      else reject(new ApiError(request.status, detailOf(answer)));
    });
    request.send(form);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function detailOf(answer: unknown): ApiError['detail'] {
  const detail = typeof answer === 'object' && answer !== null && 'detail' in answer ? answer.detail : undefined;
  return typeof detail === 'object' && detail !== null ? detail : {};
}

// Safe: a 201 of this route is what the contract says of it.
function asDeployed(answer: unknown): Deployed {
  return answer as Deployed;
}
