// Sending a project with its progress.
import { callTo } from '#contract/path-to.ts';
import type { Output } from '../../api/client.ts';
import { upload } from '../../api/upload.ts';

export type Deployed = Output<'agents', 'fromTarball'>;

const GZIP = [0x1f, 0x8b];

/** Why this file is no project; undefined: it may be one. */
export async function projectProblem(file: Blob & { name: string }): Promise<string | undefined> {
  const start = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  if (start[0] === GZIP[0] && start[1] === GZIP[1]) return undefined;
  return `${file.name} is not a gzipped tar. Pack the project: tar czf project.tar.gz --exclude node_modules --exclude .git -C my-agent .`;
}

/** @param onProgress from 0 to 1 @throws ApiError, TypeError where the network broke off */
export async function uploadProject(file: Blob, visibility: 'public' | 'unlisted' | undefined, onProgress: (part: number) => void): Promise<Deployed> {
  const form = new FormData();
  if (visibility !== undefined) form.set('public', String(visibility === 'public'));
  // Last, as the API reads it.
  form.set('source', file, 'source.tar.gz');
  return asDeployed(await upload(callTo('POST /v1/agents/from-tarball'), { body: form, onProgress }));
}

// Safe: what this route answers where it takes a project is what the contract says of it.
function asDeployed(answer: unknown): Deployed {
  return answer as Deployed;
}
