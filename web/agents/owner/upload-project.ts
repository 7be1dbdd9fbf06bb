// Sending a project with its progress.
import { callTo } from '#contract/path-to.ts';
import type { Output } from '../../api/client.ts';
import { upload } from '../../api/upload.ts';

export type Deployed = Output<'agents', 'fromTarball'>;

/** @param onProgress from 0 to 1 @throws ApiError, TypeError where the network broke off */
export async function uploadProject(archive: Blob, visibility: 'public' | 'unlisted' | undefined, onProgress: (part: number) => void): Promise<Deployed> {
  const form = new FormData();
  if (visibility !== undefined) form.set('public', String(visibility === 'public'));
  // Last, as the API reads it.
  form.set('source', archive, 'source.tar.gz');
  return asDeployed(await upload(callTo('POST /v1/agents/from-tarball'), { body: form, onProgress }));
}

// Safe: what this route answers where it takes a project is what the contract says of it.
function asDeployed(answer: unknown): Deployed {
  return answer as Deployed;
}
